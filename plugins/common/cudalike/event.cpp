// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include "backend.hpp"
#include "common/object.hpp"
#include "common/request.hpp"
#include "open_device.hpp"

namespace spoc::cudalike {

std::int32_t event_create(spoc_be_device device, std::uint32_t flags, spoc_be_event* out,
                          spoc_be_error* error) {
    if (const std::int32_t status =
            plugin::check_request(flags, SPOC_BE_EVENT_TIMING, nullptr, error);
        status != SPOC_BE_OK) {
        return status;
    }
    const bool timed = (flags & SPOC_BE_EVENT_TIMING) != 0;
    return on_device(*device, error, [&] {
        driver::event handle = nullptr;
        if (const std::int32_t status = check(*device, device->events.take(timed, handle),
                                              driver::call::event_create, "Making an event", error);
            status != SPOC_BE_OK) {
            return status;
        }
        const std::int32_t status =
            plugin::make(the_backend.host, *out, error, device, handle, timed);
        if (status != SPOC_BE_OK) {
            static_cast<void>(device->events.give(timed, handle));
        }
        return status;
    });
}

std::int32_t event_destroy(spoc_be_event event, spoc_be_error* error) {
    spoc_be_device_s& device = *event->device;
    const std::int32_t status = end_on_device(device, error, [&] {
        return check(device, device.events.give(event->timed, event->handle),
                     driver::call::event_destroy, "Ending an event", error);
    });
    plugin::destroy(the_backend.host, event);
    return status;
}

std::int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    if (event->timed && (stream->flags & SPOC_BE_STREAM_TIMING) == 0) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The event has timing and the stream was made without it.");
    }
    return on_device(*stream->device, error, [&] {
        const std::int32_t status =
            check(*stream->device, api().event_record(event->handle, stream->handle),
                  driver::call::event_record, "Recording an event", error);
        if (status == SPOC_BE_OK) {
            event->recorded.store(true, std::memory_order_release);
        }
        return status;
    });
}

std::int32_t event_query(spoc_be_event event, spoc_be_error* error) {
    if (!event->is_recorded()) {
        return SPOC_BE_OK;
    }
    return on_device(*event->device, error, [&] {
        return check(*event->device, api().event_query(event->handle), driver::call::event_query,
                     "Work before the event", error);
    });
}

std::int32_t event_sync(spoc_be_event event, std::uint64_t timeout_ns, spoc_be_error* error) {
    if (timeout_ns != SPOC_BE_FOREVER || !event->is_recorded()) {
        return event_query(event, error);  // the driver has no wait that ends sooner
    }
    return on_device(*event->device, error, [&] {
        return check(*event->device, api().event_synchronize(event->handle),
                     driver::call::event_synchronize, "Work before the event", error);
    });
}

std::int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns,
                           spoc_be_error* error) {
    if (!start->is_recorded() || !stop->is_recorded()) {
        return plugin::fail(error, {.status = SPOC_BE_INVALID}, "The %s event was never recorded.",
                            start->is_recorded() ? "stop" : "start");
    }
    return on_device(*start->device, error, [&] {
        float milliseconds = 0;
        const std::int32_t status =
            check(*start->device, api().event_elapsed(&milliseconds, start->handle, stop->handle),
                  driver::call::event_elapsed, "Reading the time between two events", error);
        if (status == SPOC_BE_OK) {
            *ns = static_cast<double>(milliseconds) * 1e6;
        }
        return status;
    });
}

}  // namespace spoc::cudalike
