// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <spoc/backend.h>

#include "common/status.hpp"
#include "current_context.hpp"
#include "driver.hpp"
#include "driver_status.hpp"
#include "event_pool.hpp"

struct spoc_be_device_s;

struct spoc_be_stream_s {
    spoc_be_stream_s(spoc_be_device owner, spoc::driver::stream driver_handle,
                     std::uint32_t stream_flags) noexcept
        : device(owner), handle(driver_handle), flags(stream_flags) {}

    const spoc_be_device device;
    const spoc::driver::stream handle;
    const std::uint32_t flags;  ///< `SPOC_BE_STREAM_*`
};

/// An open device.
struct spoc_be_device_s {
    spoc_be_device_s(std::uint32_t device_index, spoc::driver::ordinal driver_ordinal,
                     spoc::driver::context driver_context) noexcept
        : index(device_index),
          ordinal(driver_ordinal),
          context(driver_context),
          default_stream(this, spoc::driver::legacy_stream(), SPOC_BE_STREAM_TIMING) {}

    const std::uint32_t index;
    const spoc::driver::ordinal ordinal;
    const spoc::driver::context context;
    spoc_be_stream_s default_stream;
    spoc::cudalike::event_pool events;
    /// Devices, by index, whose memory the driver was asked to let this one reach directly.
    std::atomic<std::uint64_t> peers_tried{0};
    /// The failure after which the driver does no more on this device, or success.
    std::atomic<spoc::driver::result> lost{spoc::driver::success};
};

namespace spoc::cudalike {

/// `SPOC_BE_OK`, or fills `error` from a driver call's failure and remembers a lost device.
inline std::int32_t check(spoc_be_device_s& device, driver::result code, const char* origin,
                          const char* what, spoc_be_error* error,
                          std::uint64_t asked = 0) noexcept {
    if (code == driver::success) {
        return SPOC_BE_OK;
    }
    if (code == driver::not_ready) {
        return SPOC_BE_NOT_READY;
    }
    if (is_sticky(code)) {
        device.lost.store(code, std::memory_order_relaxed);
    }
    return fail_driver(error, code, origin, what, asked);
}

/// Runs `body`, which returns a status, with the device's context current. Fails at once on a lost
/// device: the driver would give the same answer, after doing who knows what first.
template <typename Body>
std::int32_t on_device(spoc_be_device_s& device, spoc_be_error* error, Body body) {
    if (const driver::result lost = device.lost.load(std::memory_order_relaxed);
        lost != driver::success) {
        return fail_driver(error, lost, "", "The device is lost: earlier work on it");
    }
    const current_context current(device.context);
    if (const std::int32_t status = check(device, current.result(), current_context::origin,
                                          "Making the device current", error);
        status != SPOC_BE_OK) {
        return status;
    }
    return body();
}

/// Runs `body`, which ends driver objects. What is on a lost device is gone already, and saying so
/// again helps nobody.
template <typename Body>
std::int32_t end_on_device(spoc_be_device_s& device, spoc_be_error* error, Body body) {
    return device.lost.load(std::memory_order_relaxed) == driver::success
               ? on_device(device, error, body)
               : SPOC_BE_OK;
}

}  // namespace spoc::cudalike
