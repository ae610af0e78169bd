// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::cudalike {

/// Fills the capability words of device `description.index`.
void describe_capabilities(spoc_be_device_info& description);

/// Whether the device answers "yes". After `open`.
bool offers(std::uint32_t index, std::uint32_t capability) noexcept;

std::int32_t cap_reason(std::uint32_t index, std::uint32_t cap, spoc_be_error* error);

}  // namespace spoc::cudalike
