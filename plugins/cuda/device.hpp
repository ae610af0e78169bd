// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

#include "driver.hpp"

namespace spoc::cudalike {

/// The driver's figure for device `index`, or -1 where it gives none. No context is made.
int attribute_of(std::uint32_t index, driver::attribute which) noexcept;

/// Compute capability as one number, 90 for 9.0.
int capability_number(std::uint32_t index) noexcept;

/// `spoc_be_device_info.formats` of a device.
std::uint64_t formats_of(std::uint32_t index) noexcept;

std::int32_t device_count(std::uint32_t* count, spoc_be_error* error);
std::int32_t device_info(std::uint32_t index, spoc_be_device_info* info, spoc_be_error* error);
std::int32_t device_open(std::uint32_t index, const spoc_be_device_desc* desc,
                         spoc_be_device_result* result, spoc_be_error* error);
std::int32_t device_close(spoc_be_device device, spoc_be_error* error);

}  // namespace spoc::cudalike
