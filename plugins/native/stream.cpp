// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <chrono>

#include "backend.hpp"
#include "common/object.hpp"
#include "common/request.hpp"
#include "event.hpp"

namespace {

using std::chrono::steady_clock;

/// Beyond any deadline that the clock can express is for ever.
bool endless(uint64_t timeout_ns, steady_clock::time_point now) {
    const auto longest = (steady_clock::time_point::max() - now) / std::chrono::nanoseconds(1);
    return timeout_ns > static_cast<uint64_t>(longest);
}

}  // namespace

void spoc_be_stream_s::begin() noexcept { begun_.fetch_add(1, std::memory_order_relaxed); }

void spoc_be_stream_s::end() noexcept {
    const std::lock_guard lock(mutex_);
    ended_.fetch_add(1, std::memory_order_release);
    ended_more_.notify_all();
}

bool spoc_be_stream_s::wait(uint64_t timeout_ns) noexcept {
    const uint64_t target = begun_.load(std::memory_order_relaxed);
    const auto complete = [this, target] {
        return ended_.load(std::memory_order_acquire) >= target;
    };
    if (complete() || timeout_ns == SPOC_BE_NO_WAIT) {
        return complete();
    }
    std::unique_lock lock(mutex_);
    const steady_clock::time_point now = steady_clock::now();
    if (endless(timeout_ns, now)) {
        ended_more_.wait(lock, complete);
        return true;
    }
    return ended_more_.wait_until(lock, now + std::chrono::nanoseconds(timeout_ns), complete);
}

namespace spoc::native {

int32_t stream_create(spoc_be_device /*device*/, const spoc_be_stream_desc* desc,
                      spoc_be_stream* out, spoc_be_error* error) {
    if (const int32_t status = plugin::check_request(
            desc->flags, SPOC_BE_STREAM_NON_BLOCKING | SPOC_BE_STREAM_TIMING, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    return plugin::make(the_backend.host, *out, error, desc->flags);
}

int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* /*error*/) {
    plugin::destroy(the_backend.host, stream);
    return SPOC_BE_OK;
}

int32_t stream_flush(spoc_be_stream /*stream*/, spoc_be_error* /*error*/) {
    return SPOC_BE_OK;  // nothing is ever held back
}

int32_t stream_query(spoc_be_stream stream, spoc_be_error* error) {
    return stream_sync(stream, SPOC_BE_NO_WAIT, error);
}

int32_t stream_sync(spoc_be_stream stream, uint64_t timeout_ns, spoc_be_error* /*error*/) {
    return stream->wait(timeout_ns) ? SPOC_BE_OK : SPOC_BE_NOT_READY;
}

int32_t stream_wait(spoc_be_stream /*stream*/, spoc_be_event event, spoc_be_error* error) {
    return event_query(event, error);
}

}  // namespace spoc::native
