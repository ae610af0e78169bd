// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::native {

/// Fills `caps` and `caps_known`.
void describe_capabilities(spoc_be_device_info& info);

int32_t cap_reason(uint32_t index, uint32_t cap, spoc_be_error* error);

}  // namespace spoc::native
