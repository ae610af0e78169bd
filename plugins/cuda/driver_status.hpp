// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

#include "driver.hpp"

namespace spoc::cudalike {

/// What a driver's failure is called in the contract.
std::int32_t status_of(driver::result code) noexcept;

/// Whether the driver answers every later call on the device with it too.
bool is_sticky(driver::result code) noexcept;

/// Fills `error` (may be null) from the failure of the driver call `origin` and returns its status.
/// `what` says in a few words what was tried.
std::int32_t fail_driver(spoc_be_error* error, driver::result code, const char* origin,
                         const char* what, std::uint64_t asked = 0, std::uint64_t tag = 0) noexcept;

}  // namespace spoc::cudalike
