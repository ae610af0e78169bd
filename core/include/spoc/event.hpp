// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Events as owners; see spoc/event.h.

#include <chrono>
#include <cstdint>
#include <utility>

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/event.h>
#include <spoc/stream.hpp>

namespace spoc {

/// A mark in a stream. Movable, not copyable. A moved-from event may only be assigned to or
/// destroyed.
class event {
 public:
    /// Makes an event; `timed` when `elapsed` will be asked. Throws as `spoc_event_create`.
    explicit event(const device& where, bool timed = false) {
        const std::uint32_t flags = timed ? SPOC_EVENT_TIMING : 0;
        detail::call(spoc_event_create, where.get(), flags, &handle_);
    }

    event(const event&) = delete;
    event& operator=(const event&) = delete;
    event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    event& operator=(event&& other) noexcept {
        event taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~event() { spoc_event_destroy(handle_); }

    /// Marks this point of a stream, in place of an earlier mark.
    void record(const stream& on) { detail::call(spoc_event_record, handle_, on.get()); }

    /// Whether what it marks is complete; true when nothing was recorded. Does not wait.
    bool complete() const {
        std::int32_t answer = 0;
        detail::call(spoc_event_query, handle_, &answer);
        return answer != 0;
    }

    /// Waits for what it marks.
    void synchronize() const { detail::call(spoc_event_synchronize, handle_); }

    /// The C handle; stays owned by this object.
    spoc_event get() const noexcept { return handle_; }

 private:
    spoc_event handle_ = nullptr;
};

/// Everything enqueued on `waiting` from now on waits for what `marked` marks now.
inline void wait(const stream& waiting, const event& marked) {
    detail::call(spoc_stream_wait_event, waiting.get(), marked.get());
}

/// Time on the device between two complete timing events, negative when `stop` came first.
inline std::chrono::duration<double, std::milli> elapsed(const event& start, const event& stop) {
    double milliseconds = 0;
    detail::call(spoc_event_elapsed, start.get(), stop.get(), &milliseconds);
    return std::chrono::duration<double, std::milli>(milliseconds);
}

}  // namespace spoc
