// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <spoc/backend.h>

#include "driver.hpp"

namespace spoc::cudalike {

/// The parameters of a kernel: what the driver knows, and beyond that what the caller declared.
/// `out_reflection` is how much that is (`SPOC_BE_REFLECTION_*`).
std::vector<spoc_be_param> read_parameters(driver::function kernel, const spoc_be_kernel_desc& desc,
                                           std::uint32_t& out_reflection);

}  // namespace spoc::cudalike
