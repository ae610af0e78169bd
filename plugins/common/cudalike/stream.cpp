// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <algorithm>

#include "backend.hpp"
#include "common/object.hpp"
#include "common/request.hpp"
#include "event.hpp"
#include "open_device.hpp"

namespace spoc::cudalike {
namespace {

/// The nearest priority that the driver has. Its numbers fall with urgency, as the contract's do.
driver::result clamp_priority(std::int32_t& priority) noexcept {
    int least = 0;
    int greatest = 0;
    const driver::result asked = api().priority_range(&least, &greatest);
    if (asked == driver::success) {
        priority = std::clamp(priority, greatest, least);
    }
    return asked;
}

}  // namespace

std::int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc,
                           spoc_be_stream* out, spoc_be_error* error) {
    if (const std::int32_t status = plugin::check_request(
            desc->flags, SPOC_BE_STREAM_NON_BLOCKING | SPOC_BE_STREAM_TIMING, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    return on_device(*device, error, [&] {
        std::int32_t priority = desc->priority;
        driver::stream handle = nullptr;
        driver::result made = clamp_priority(priority);
        if (made == driver::success) {
            made = api().stream_create(
                &handle,
                (desc->flags & SPOC_BE_STREAM_NON_BLOCKING) != 0 ? driver::stream_non_blocking : 0,
                priority);
        }
        if (const std::int32_t status =
                check(*device, made, driver::call::stream_create, "Making a stream", error);
            status != SPOC_BE_OK) {
            return status;
        }
        const std::int32_t status =
            plugin::make(the_backend.host, *out, error, device, handle, desc->flags);
        if (status != SPOC_BE_OK) {
            static_cast<void>(api().stream_destroy(handle));
        }
        return status;
    });
}

std::int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error) {
    const std::int32_t status = end_on_device(*stream->device, error, [&] {
        return check(*stream->device, api().stream_destroy(stream->handle),
                     driver::call::stream_destroy, "Ending a stream", error);
    });
    plugin::destroy(the_backend.host, stream);
    return status;
}

std::int32_t stream_query(spoc_be_stream stream, spoc_be_error* error) {
    return on_device(*stream->device, error, [&] {
        return check(*stream->device, api().stream_query(stream->handle),
                     driver::call::stream_query, "Work of the stream", error);
    });
}

std::int32_t drain(spoc_be_stream stream, spoc_be_error* error) {
    return check(*stream->device, api().stream_synchronize(stream->handle),
                 driver::call::stream_synchronize, "Work of the stream", error);
}

std::int32_t finish_enqueued(spoc_be_stream stream, std::uint32_t flags, std::uint32_t* done,
                             spoc_be_error* error) {
    *done = SPOC_BE_DONE_NOTHING;
    if ((flags & SPOC_BE_WAIT) == 0) {
        return SPOC_BE_OK;
    }
    // Also after a copy from ordinary memory that the driver calls complete: it may be in the
    // driver's own staging memory still, and other streams would not wait for it.
    const std::int32_t status = drain(stream, error);
    *done = status == SPOC_BE_OK ? SPOC_BE_DONE_ALL : SPOC_BE_DONE_NOTHING;
    return status;
}

std::int32_t stream_sync(spoc_be_stream stream, std::uint64_t timeout_ns, spoc_be_error* error) {
    if (timeout_ns != SPOC_BE_FOREVER) {
        return stream_query(stream, error);  // the driver has no wait that ends sooner
    }
    return on_device(*stream->device, error, [&] { return drain(stream, error); });
}

std::int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error) {
    if (!event->is_recorded()) {
        return SPOC_BE_OK;
    }
    return on_device(*stream->device, error, [&] {
        return check(*stream->device, api().stream_wait(stream->handle, event->handle, 0),
                     driver::call::stream_wait, "Waiting for an event on a stream", error);
    });
}

}  // namespace spoc::cudalike
