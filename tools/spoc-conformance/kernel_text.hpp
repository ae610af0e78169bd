// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// \file
/// The files under kernels/, as the build put them into the program.

namespace spoc::conformance::kernel_text {

std::string_view opencl_c();
/// For CUDA_C and HIP_C: the two agree as far as the kernels go.
std::string_view cuda_c();
std::string_view ptx();
std::string_view msl();

/// GLSL has one kernel a program.
std::string_view glsl_scale();
std::string_view glsl_spin();
std::string_view glsl_who();
std::string_view glsl_wide();

/// The same compiled; empty in a build without a compiler for them.
std::string_view spirv_scale();
std::string_view spirv_spin();
std::string_view spirv_who();
std::string_view spirv_wide();

}  // namespace spoc::conformance::kernel_text
