// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::asynchronous {

/// Turns the capabilities of the native plugin into those of this layer.
void adjust_capabilities(spoc_be_device_info& info);

int32_t cap_reason(uint32_t index, uint32_t cap, spoc_be_error* error);

}  // namespace spoc::asynchronous
