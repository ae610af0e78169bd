// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::cudalike {

/// Refuses bytes that are no whole device binary of a kind that the driver loads: it is given an
/// address without a length, and would read beyond the end of what is cut short. FORMAT error.
std::int32_t check_image(const void* data, std::uint64_t bytes, spoc_be_error* error);

}  // namespace spoc::cudalike
