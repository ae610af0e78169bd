// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <spoc/event.h>

#include "counted_handle.hpp"
#include "device_object.hpp"
#include "ledger.hpp"
#include "outcome.hpp"
#include "stream.hpp"

namespace spoc::detail {

/// Waits for a plugin's event, however often it says that it is not ready.
outcome wait_for_event(spoc_device_s& device, spoc_be_event event);

/// An event and what its current recording covers.
class event_state : public device_object {
 public:
    event_state(spoc_device device, std::uint32_t flags) noexcept
        : device_object(device), flags_(flags) {}
    ~event_state() override { static_cast<void>(finish()); }

    /// Has the plugin make the event.
    outcome make();
    outcome end() override;

    bool has_timing() const noexcept { return (flags_ & SPOC_EVENT_TIMING) != 0; }
    /// Fails with VALUE when nothing was recorded.
    outcome check_recorded() const;

    outcome record(const std::shared_ptr<stream_state>& stream);
    /// Later work of `stream` waits for the current recording.
    outcome wait_on(stream_state& stream);
    outcome query(bool& out_complete);
    outcome synchronize();
    /// Nanoseconds between two events.
    static outcome elapsed(event_state& start, event_state& stop, double& out_ns);

 private:
    /// What was recorded last: the work of a stream up to a position.
    struct recording {
        std::weak_ptr<stream_state> stream;
        ledger::position at = 0;
    };

    outcome check_alive() const;
    /// The recording that was the `seen`th is complete: releases what it covers, unless something
    /// else was recorded meanwhile, about which the answer says nothing.
    void covered_work_is_complete(std::uint64_t seen);

    const std::uint32_t flags_;
    /// Held while an entry of thread class H is called with the event; taken before a stream's.
    mutable std::mutex mutex_;
    spoc_be_event handle_ = nullptr;
    recording recorded_;
    /// How often it was recorded, which tells two recordings apart. Changes under the mutex.
    std::atomic<std::uint64_t> generation_{0};
    /// A recording whose covered work was released: a complete event is often asked again.
    std::atomic<std::uint64_t> released_{0};
};

}  // namespace spoc::detail

/// A handle on an event.
struct spoc_event_s {
    std::shared_ptr<spoc::detail::event_state> state;
    spoc::detail::counted_handle counted{};
};
