// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <exception>
#include <latch>
#include <mutex>
#include <thread>

#include "check.hpp"

namespace spoc::conformance {
namespace {

void expect_ok(std::int32_t status, const char* entry, const spoc_be_error& error) {
    expect_status(SPOC_BE_OK, status, entry, error);
}

}  // namespace

void in_threads(const std::function<void(std::uint32_t)>& action) {
    std::mutex mutex;
    std::exception_ptr first;
    std::latch start(thread_count);
    std::vector<std::thread> threads;
    for (std::uint32_t number = 0; number < thread_count; ++number) {
        threads.emplace_back([&, number] {
            try {
                start.arrive_and_wait();
                action(number);
            } catch (...) {
                const std::lock_guard lock(mutex);
                first = first ? first : std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    if (first) {
        std::rethrow_exception(first);
    }
}

spoc_be_buffer make_buffer(const device& dev, std::uint64_t bytes) {
    auto desc = sized<spoc_be_buffer_desc>();
    desc.bytes = bytes;
    auto made = sized<spoc_be_buffer_result>();
    auto error = sized<spoc_be_error>();
    expect_ok(dev.be.buffer_create(dev.handle, &desc, &made, &error), "buffer_create", error);
    require(made.buffer != nullptr, "buffer_create answered OK without a buffer.");
    return made.buffer;
}

void end_buffer(const device& dev, spoc_be_buffer buffer) {
    auto error = sized<spoc_be_error>();
    expect_ok(dev.be.buffer_destroy(buffer, &error), "buffer_destroy", error);
}

spoc_be_stream make_stream(const device& dev) {
    auto desc = sized<spoc_be_stream_desc>();
    desc.flags = SPOC_BE_STREAM_NON_BLOCKING;
    spoc_be_stream made = nullptr;
    auto error = sized<spoc_be_error>();
    expect_ok(dev.be.stream_create(dev.handle, &desc, &made, &error), "stream_create", error);
    require(made != nullptr, "stream_create answered OK without a stream.");
    return made;
}

void end_stream(const device& dev, spoc_be_stream stream) {
    auto error = sized<spoc_be_error>();
    expect_ok(dev.be.stream_destroy(stream, &error), "stream_destroy", error);
}

spoc_be_event make_event(const device& dev) {
    spoc_be_event made = nullptr;
    auto error = sized<spoc_be_error>();
    expect_ok(dev.be.event_create(dev.handle, 0, &made, &error), "event_create", error);
    require(made != nullptr, "event_create answered OK without an event.");
    return made;
}

void end_event(const device& dev, spoc_be_event event) {
    auto error = sized<spoc_be_error>();
    expect_ok(dev.be.event_destroy(event, &error), "event_destroy", error);
}

std::vector<thread_lane> make_lanes(device& dev, std::uint64_t bytes) {
    std::vector<thread_lane> lanes(thread_count);
    for (thread_lane& of : lanes) {
        of.stream = dev.stream();
        if (dev.can(SPOC_BE_CAP_PINNED)) {
            of.memory = dev.pinned(bytes);
        } else {
            require(bytes <= dev.pageable_max(), "The device has no page-locked memory and takes ",
                    "only ", dev.pageable_max(), " bytes of ordinary memory.");
            of.ordinary.resize(bytes);
            of.memory = {nullptr, of.ordinary.data(), bytes};
        }
    }
    return lanes;
}

}  // namespace spoc::conformance
