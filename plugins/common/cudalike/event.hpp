// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <spoc/backend.h>

#include "driver.hpp"

struct spoc_be_event_s {
    spoc_be_event_s(spoc_be_device owner, spoc::driver::event driver_handle,
                    bool with_timing) noexcept
        : device(owner), handle(driver_handle), timed(with_timing) {}

    /// Whether the host recorded it: the driver's event may have had another owner before.
    bool is_recorded() const noexcept { return recorded.load(std::memory_order_acquire); }

    const spoc_be_device device;
    const spoc::driver::event handle;
    const bool timed;
    std::atomic<bool> recorded{false};
};

namespace spoc::cudalike {

std::int32_t event_create(spoc_be_device device, std::uint32_t flags, spoc_be_event* out,
                          spoc_be_error* error);
std::int32_t event_destroy(spoc_be_event event, spoc_be_error* error);
std::int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error);
std::int32_t event_query(spoc_be_event event, spoc_be_error* error);
std::int32_t event_sync(spoc_be_event event, std::uint64_t timeout_ns, spoc_be_error* error);
std::int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns,
                           spoc_be_error* error);

}  // namespace spoc::cudalike
