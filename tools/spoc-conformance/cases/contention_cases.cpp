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

/// A copy there and back of one size after the other, each thread with bytes of its own.
void copies(device& dev) {
    constexpr std::array<std::size_t, 4> sizes{64, 3000, 4096, 20011};
    constexpr std::size_t most = 20011;
    constexpr std::uint32_t turns = 500;
    std::vector<thread_lane> lanes = make_lanes(dev, 2 * most);
    std::vector<byte_vector> contents;
    std::vector<spoc_be_buffer> buffers;
    for (std::uint32_t thread = 0; thread < thread_count; ++thread) {
        contents.push_back(pattern(most, thread));
        buffers.push_back(dev.buffer(most));
        std::memcpy(lanes[thread].memory.data, contents[thread].data(), most);
    }
    in_threads([&](std::uint32_t thread) {
        const thread_lane& own = lanes[thread];
        std::byte* const back = own.memory.data + most;
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            const std::size_t bytes = sizes[turn % sizes.size()];
            const spoc_be_range up =
                with_pinned(to_device(buffers[thread], 0, nullptr, bytes), own.memory, 0);
            const spoc_be_range down =
                with_pinned(to_host(buffers[thread], 0, nullptr, bytes), own.memory, most);
            dev.copy(own.stream, SPOC_BE_COPY_H2D, {&up, 1}, SPOC_BE_WAIT);
            dev.copy(own.stream, SPOC_BE_COPY_D2H, {&down, 1}, SPOC_BE_WAIT);
            require(std::memcmp(back, contents[thread].data(), bytes) == 0, "Of ", bytes,
                    " bytes that thread ", thread,
                    " copied to the device, others came back while other threads copied too.");
            std::memset(back, 0, bytes);
        }
    });
}

/// One kernel, launched by all threads with arguments of their own.
void launches(device& dev) {
    constexpr std::uint32_t words = 32;
    constexpr std::uint64_t bytes = words * word_bytes;
    constexpr std::uint32_t turns = 1500;
    const ready_kernel scale = kernel_set::with(dev, known_kernel::scale).get(known_kernel::scale);
    std::vector<thread_lane> lanes = make_lanes(dev, bytes);
    const byte_vector contents = pattern(bytes, 1);
    const spoc_be_buffer in = dev.buffer(contents);
    std::vector<spoc_be_buffer> outs;
    std::vector<byte_vector> wanted;
    for (std::uint32_t thread = 0; thread < thread_count; ++thread) {
        outs.push_back(dev.buffer(bytes));
        wanted.push_back(scaled(contents, thread + 2));
    }
    in_threads([&](std::uint32_t thread) {
        const thread_lane& own = lanes[thread];
        const std::uint32_t factor = thread + 2;
        const launch_request request = scale_request(scale, in, outs[thread], factor, words);
        const spoc_be_range down =
            with_pinned(to_host(outs[thread], 0, nullptr, bytes), own.memory, 0);
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            dev.fill(own.stream, outs[thread], 0, bytes, 0, word_bytes);
            request.run(dev, own.stream);
            dev.copy(own.stream, SPOC_BE_COPY_D2H, {&down, 1}, SPOC_BE_WAIT);
            expect_bytes(wanted[thread], {own.memory.data, bytes},
                         text("What the launch of thread ", thread,
                              " wrote while other threads launched too"));
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
    constexpr std::uint32_t turns = 3000;
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
