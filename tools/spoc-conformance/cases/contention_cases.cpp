// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "kernels.hpp"
#include "launch_request.hpp"
#include "threads.hpp"

/// \file
/// Threads that are in one entry of the plugin at once for as much of their time as can be: all of
/// them start together, and what they compare with was made before.

namespace spoc::conformance {
namespace {

/// Calls in a row before their effects are looked at. Waiting costs far more than calling.
constexpr std::size_t in_a_row = 8;

/// Copies of several sizes in a row, each thread with bytes of its own; all of them are read back.
void copies(device& dev) {
    constexpr std::array<std::size_t, in_a_row> sizes{64, 3000, 1, 4096, 257, 20011, 1024, 4000};
    constexpr std::size_t stride = 20011;
    constexpr std::size_t all = in_a_row * stride;
    constexpr std::uint32_t turns = 1000;
    std::vector<thread_lane> lanes = make_lanes(dev, 2 * all);
    std::vector<byte_vector> contents;
    std::vector<spoc_be_buffer> buffers;
    for (std::uint32_t thread = 0; thread < thread_count; ++thread) {
        contents.push_back(pattern(all, thread));
        buffers.push_back(dev.buffer(all));
        std::memcpy(lanes[thread].memory.data, contents[thread].data(), all);
    }
    in_threads([&](std::uint32_t thread) {
        const thread_lane& own = lanes[thread];
        std::array<spoc_be_range, in_a_row> down{};
        for (std::size_t i = 0; i < in_a_row; ++i) {
            down[i] = with_pinned(to_host(buffers[thread], i * stride, nullptr, sizes[i]),
                                  own.memory, all + i * stride);
        }
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            for (std::size_t i = 0; i < in_a_row; ++i) {
                const spoc_be_range up =
                    with_pinned(to_device(buffers[thread], i * stride, nullptr, sizes[i]),
                                own.memory, i * stride);
                dev.copy(own.stream, SPOC_BE_COPY_H2D, {&up, 1});
            }
            dev.copy(own.stream, SPOC_BE_COPY_D2H, down, SPOC_BE_WAIT);
            for (std::size_t i = 0; i < in_a_row; ++i) {
                std::byte* const back = own.memory.data + all + i * stride;
                const std::byte* const sent = contents[thread].data() + i * stride;
                require(std::memcmp(back, sent, sizes[i]) == 0, "Of ", sizes[i],
                        " bytes that thread ", thread,
                        " copied to the device, others came back while other threads copied too.");
                std::memset(back, 0, sizes[i]);
            }
        }
    });
}

/// One kernel, launched by all threads with arguments of their own, several times in a row.
void launches(device& dev) {
    constexpr std::uint32_t words = 32;
    constexpr std::uint64_t bytes = words * word_bytes;
    constexpr std::uint32_t turns = 200;
    const ready_kernel scale = kernel_set::with(dev, known_kernel::scale).get(known_kernel::scale);
    std::vector<thread_lane> lanes = make_lanes(dev, in_a_row * bytes);
    const byte_vector contents = pattern(bytes, 1);
    const spoc_be_buffer in = dev.buffer(contents);
    std::vector<std::array<spoc_be_buffer, in_a_row>> outs(thread_count);
    for (auto& row : outs) {
        std::generate(row.begin(), row.end(), [&dev] { return dev.buffer(bytes); });
    }
    in_threads([&](std::uint32_t thread) {
        const thread_lane& own = lanes[thread];
        const std::uint32_t factor = thread + 2;
        const byte_vector wanted = scaled(contents, factor);
        std::array<spoc_be_range, in_a_row> down{};
        for (std::size_t i = 0; i < in_a_row; ++i) {
            down[i] =
                with_pinned(to_host(outs[thread][i], 0, nullptr, bytes), own.memory, i * bytes);
        }
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            for (const spoc_be_buffer out : outs[thread]) {
                dev.fill(own.stream, out, 0, bytes, 0, word_bytes);
                scale_request(scale, in, out, factor, words).run(dev, own.stream);
            }
            dev.copy(own.stream, SPOC_BE_COPY_D2H, down, SPOC_BE_WAIT);
            for (std::size_t i = 0; i < in_a_row; ++i) {
                expect_bytes(wanted, {own.memory.data + i * bytes, bytes},
                             text("What a launch of thread ", thread,
                                  " wrote while other threads launched too"));
            }
        }
    });
}

/// Where each thread shows what it holds.
class shown_handles {
 public:
    /// Fails when another thread holds the same.
    void show(std::uint32_t thread, const void* handle, const char* entry) {
        shown_[thread] = handle;
        for (std::uint32_t other = 0; other < thread_count; ++other) {
            require(other == thread || shown_[other] != handle, entry,
                    " gave two threads the same handle at the same time.");
        }
    }
    void hide(std::uint32_t thread) { shown_[thread] = nullptr; }

 private:
    std::array<std::atomic<const void*>, thread_count> shown_{};
};

/// Live handles of one kind differ, whoever made them.
void live_handles_differ(device& dev) {
    constexpr std::uint32_t turns = 10000;
    shown_handles events;
    shown_handles buffers;
    in_threads([&](std::uint32_t thread) {
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            const spoc_be_event event = make_event(dev);
            events.show(thread, event, "event_create");
            if (turn % 8 == 0) {
                const spoc_be_buffer buffer = make_buffer(dev, 64);
                buffers.show(thread, buffer, "buffer_create");
                buffers.hide(thread);
                end_buffer(dev, buffer);
            }
            events.hide(thread);
            end_event(dev, event);
        }
    });
}

}  // namespace

void add_contention_cases(case_list& cases) {
    cases.push_back(on_device("thread/contended_copies", copies));
    cases.push_back(on_device("thread/contended_launches", launches));
    cases.push_back(on_device("thread/live_handles_differ", live_handles_differ));
}

}  // namespace spoc::conformance
