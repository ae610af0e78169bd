// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// \file
/// The files under kernels/, as the build put them into the program.

namespace spoc::conformance::kernel_text {

/// A file by its path below kernels/: "kernels.cl", "features/tickets32.cl". Empty where there is
/// none.
std::string_view file(std::string_view path);

/// What the build made of the GLSL of a kernel: SPIR-V. Empty where there is no GLSL of the name,
/// or the build had no compiler for it.
std::string_view spirv(std::string_view kernel);

}  // namespace spoc::conformance::kernel_text
