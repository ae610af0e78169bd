// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <utility>

#include "device.hpp"
#include "session.hpp"
#include "text.hpp"

namespace spoc::detail {

outcome wait_for_event(spoc_device_s& device, spoc_be_event event) {
    plugin_error error;
    std::int32_t status = SPOC_BE_NOT_READY;
    while (status == SPOC_BE_NOT_READY) {
        status = device.table().event_sync(event, SPOC_BE_FOREVER, &error);
    }
    return status >= 0 ? outcome{} : device.failure(status, error, SPOC_SUB_SYNC_FAILED);
}

outcome event_state::make() {
    begin();
    plugin_error error;
    spoc_be_event made = nullptr;
    const std::int32_t status = device().table().event_create(
        device().handle(), has_timing() ? SPOC_BE_EVENT_TIMING : 0, &made, &error);
    if (status < 0) {
        return device().failure(status, error, SPOC_SUB_DRIVER);
    }
    handle_ = made;
    return {};
}

outcome event_state::end() {
    const std::lock_guard lock(mutex_);
    if (handle_ == nullptr) {
        return {};
    }
    plugin_error error;
    const std::int32_t status =
        device().table().event_destroy(std::exchange(handle_, nullptr), &error);
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
}

outcome event_state::check_alive() const {
    return handle_ != nullptr ? outcome{}
                              : outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                                              "The event belongs to a runtime that was shut down.");
}

outcome event_state::check_recorded() const {
    return generation_.load() != 0
               ? outcome{}
               : outcome::invalid(SPOC_SUB_VALUE, "The event was never recorded.");
}

outcome event_state::record(const std::shared_ptr<stream_state>& stream) {
    const std::lock_guard lock(mutex_);
    SPOC_TRY(check_alive());
    ledger::position at = 0;
    SPOC_TRY(stream->mark(SPOC_SUB_DRIVER, [&](spoc_be_stream on, spoc_be_error* error) {
        // The stream is held: nothing can be enqueued between the mark and what it covers.
        at = stream->committed();
        return device().table().event_record(handle_, on, error);
    }));
    // Mostly it is the stream of before, whose pointer need not be counted anew.
    if (recorded_.stream.owner_before(stream) || stream.owner_before(recorded_.stream)) {
        recorded_.stream = stream;
    }
    recorded_.at = at;
    generation_.fetch_add(1);
    return {};
}

outcome event_state::wait_on(stream_state& stream) {
    const std::lock_guard lock(mutex_);
    SPOC_TRY(check_alive());
    return stream.mark(SPOC_SUB_DRIVER, [&](spoc_be_stream on, spoc_be_error* error) {
        return stream.device().table().stream_wait(on, handle_, error);
    });
}

outcome event_state::query(bool& out_complete) {
    const std::uint64_t seen = generation_.load();
    SPOC_TRY(check_alive());
    plugin_error error;
    const std::int32_t status = device().table().event_query(handle_, &error);
    if (status < 0) {
        return device().failure(status, error, SPOC_SUB_SYNC_FAILED);
    }
    out_complete = status == SPOC_BE_OK;
    if (out_complete) {
        covered_work_is_complete(seen);
    }
    return {};
}

outcome event_state::synchronize() {
    const std::uint64_t seen = generation_.load();
    SPOC_TRY(check_alive());
    SPOC_TRY(wait_for_event(device(), handle_));
    covered_work_is_complete(seen);
    return {};
}

void event_state::covered_work_is_complete(std::uint64_t seen) {
    if (released_.load() == seen) {
        return;
    }
    std::shared_ptr<stream_state> stream;
    ledger::position at = 0;
    {
        const std::lock_guard lock(mutex_);
        if (generation_.load() != seen) {
            return;
        }
        stream = recorded_.stream.lock();
        at = recorded_.at;
    }
    if (stream != nullptr) {
        stream->release(at);
    }
    // Not before: whoever finds it set relies on it.
    released_.store(seen);
}

outcome event_state::elapsed(event_state& start, event_state& stop, double& out_ns) {
    SPOC_TRY(start.check_alive());
    SPOC_TRY(stop.check_alive());
    spoc_device_s& device = start.device();
    plugin_error error;
    const std::int32_t status =
        device.table().event_elapsed(start.handle_, stop.handle_, &out_ns, &error);
    if (status == SPOC_BE_NOT_READY) {
        return outcome::invalid(SPOC_SUB_BUSY, "What an event marks is still pending.");
    }
    return status >= 0 ? outcome{} : device.failure(status, error, SPOC_SUB_DRIVER);
}

}  // namespace spoc::detail

using namespace spoc::detail;

namespace {

outcome check_timing(const spoc_device_s& device) {
    if (device.offers(SPOC_BE_CAP_EVENT_TIMING) && device.table().event_elapsed != nullptr) {
        return {};
    }
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("Device ", device.selector(), " does not measure between events."))
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

outcome different_devices(const spoc_device_s& one, const spoc_device_s& other) {
    return outcome::invalid(SPOC_SUB_DEVICE, say("The event is of device ", one.selector(),
                                                 ", the other object of ", other.selector(), "."));
}

/// Whether work of one device can wait for an event of another.
outcome check_orders(spoc_device_s& recorded, spoc_device_s& waiting) {
    if (&recorded == &waiting) {
        return {};
    }
    std::uint32_t ways = 0;
    SPOC_TRY(waiting.peer_ways_from(recorded, ways));
    return (ways & SPOC_BE_PEER_EVENTS) != 0
               ? outcome{}
               : outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                               say("The driver does not order device ", waiting.selector(),
                                   " after an event of ", recorded.selector(), "."))
                     .about(waiting.backend(), static_cast<std::int32_t>(waiting.id()));
}

}  // namespace

spoc_status spoc_event_create(spoc_device device, uint32_t flags, spoc_event* out_event,
                              spoc_error* error) noexcept {
    return boundary("spoc_event_create", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_event, "out_event"));
        if ((flags & ~SPOC_EVENT_TIMING) != 0) {
            return outcome::invalid(SPOC_SUB_VALUE,
                                    say("The event's flags ", flags, " are unknown."));
        }
        SPOC_TRY(call.enter());
        if (flags != 0) {
            SPOC_TRY(check_timing(*device));
        }
        SPOC_TRY(device->open());
        auto handle = std::make_unique<spoc_event_s>();
        handle->counted = counted_handle(handle_kind::event, device->accounts(), 0);
        handle->state = std::make_shared<event_state>(device, flags);
        SPOC_TRY(handle->state->make());
        *out_event = handle.release();
        return {};
    });
}

void spoc_event_destroy(spoc_event event) noexcept {
    const traced_call traced("spoc_event_destroy");
    const call_guard guard;
    const std::unique_ptr<spoc_event_s> owned(event);
}

spoc_status spoc_event_record(spoc_event event, spoc_stream stream, spoc_error* error) noexcept {
    return boundary("spoc_event_record", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(event, "event"));
        SPOC_TRY(require_pointer(stream, "stream"));
        event_state& state = *event->state;
        if (&stream->state->device() != &state.device()) {
            return different_devices(state.device(), stream->state->device());
        }
        SPOC_TRY(stream->state->check_not_closed());
        if (state.has_timing() && (stream->state->flags() & SPOC_STREAM_UNTIMED) != 0) {
            return outcome::invalid(SPOC_SUB_VALUE,
                                    "A timing event cannot be recorded on an untimed stream.");
        }
        SPOC_TRY(call.enter());
        return state.record(stream->state);
    });
}

spoc_status spoc_stream_wait_event(spoc_stream stream, spoc_event event,
                                   spoc_error* error) noexcept {
    return boundary("spoc_stream_wait_event", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(stream, "stream"));
        SPOC_TRY(require_pointer(event, "event"));
        spoc_device_s& waiting = stream->state->device();
        spoc_device_s& recorded = event->state->device();
        if (&waiting.owner() != &recorded.owner()) {
            return different_devices(recorded, waiting);
        }
        SPOC_TRY(stream->state->check_not_closed());
        SPOC_TRY(call.enter());
        SPOC_TRY(check_orders(recorded, waiting));
        return event->state->wait_on(*stream->state);
    });
}

spoc_status spoc_event_query(spoc_event event, int32_t* out_complete, spoc_error* error) noexcept {
    return boundary("spoc_event_query", error, [&]() -> outcome {
        session call;
        bool complete = false;
        SPOC_TRY(require_pointer(event, "event"));
        SPOC_TRY(require_pointer(out_complete, "out_complete"));
        SPOC_TRY(call.enter());
        SPOC_TRY(event->state->query(complete));
        *out_complete = complete ? 1 : 0;
        return {};
    });
}

spoc_status spoc_event_synchronize(spoc_event event, spoc_error* error) noexcept {
    return boundary("spoc_event_synchronize", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(event, "event"));
        SPOC_TRY(call.enter());
        return event->state->synchronize();
    });
}

spoc_status spoc_event_elapsed(spoc_event start, spoc_event stop, double* out_ms,
                               spoc_error* error) noexcept {
    return boundary("spoc_event_elapsed", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(start, "start"));
        SPOC_TRY(require_pointer(stop, "stop"));
        SPOC_TRY(require_pointer(out_ms, "out_ms"));
        if (&start->state->device() != &stop->state->device()) {
            return different_devices(start->state->device(), stop->state->device());
        }
        if (!start->state->has_timing() || !stop->state->has_timing()) {
            return outcome::invalid(SPOC_SUB_VALUE, "An event was made without timing.");
        }
        SPOC_TRY(start->state->check_recorded());
        SPOC_TRY(stop->state->check_recorded());
        SPOC_TRY(call.enter());
        double nanoseconds = 0;
        SPOC_TRY(event_state::elapsed(*start->state, *stop->state, nanoseconds));
        *out_ms = nanoseconds / 1e6;
        return {};
    });
}
