// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <chrono>

#include "backend.hpp"
#include "common/object.hpp"
#include "common/request.hpp"
#include "stream.hpp"

namespace spoc::native {
namespace {

int64_t now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

int32_t event_create(spoc_be_device /*device*/, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    if (const int32_t status = plugin::check_request(flags, SPOC_BE_EVENT_TIMING, nullptr, error);
        status != SPOC_BE_OK) {
        return status;
    }
    return plugin::make(the_backend.host, *out, error, flags);
}

int32_t event_destroy(spoc_be_event event, spoc_be_error* /*error*/) {
    plugin::destroy(the_backend.host, event);
    return SPOC_BE_OK;
}

int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    if ((event->flags & SPOC_BE_EVENT_TIMING) != 0 &&
        (stream->flags & SPOC_BE_STREAM_TIMING) == 0) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The event has timing and the stream was made without it.");
    }
    event->recorded.store(now_ns(), std::memory_order_release);
    return SPOC_BE_OK;
}

int32_t event_query(spoc_be_event event, spoc_be_error* /*error*/) {
    // The load is not for its value: a thread that asked sees what the recording thread's work
    // wrote.
    static_cast<void>(event->recorded.load(std::memory_order_acquire));
    return SPOC_BE_OK;
}

int32_t event_sync(spoc_be_event event, uint64_t /*timeout_ns*/, spoc_be_error* error) {
    return event_query(event, error);
}

int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns, spoc_be_error* error) {
    const int64_t from = start->recorded.load(std::memory_order_acquire);
    const int64_t to = stop->recorded.load(std::memory_order_acquire);
    if (from == spoc_be_event_s::never || to == spoc_be_event_s::never) {
        return plugin::fail(error, {.status = SPOC_BE_INVALID}, "The %s event was never recorded.",
                            from == spoc_be_event_s::never ? "start" : "stop");
    }
    *ns = static_cast<double>(to - from);
    return SPOC_BE_OK;
}

}  // namespace spoc::native
