// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <spoc/backend.h>
#include <spoc/native.h>

namespace spoc::native {

/// Whether a description can be used: its size, function and parameters.
bool is_well_formed(const spoc_native_kernel& kernel) noexcept;

/// Kernels that the application added by name. They stay for the life of the process, also when the
/// backend is closed.
///
/// `registry_age` counts them; a program made without data remembers the count and sees no kernel
/// that came later.
uint64_t registry_age();

/// The kernel called `name` among the first `age`, or null.
const spoc_native_kernel* find_registered(std::string_view name, uint64_t age);

/// `spoc_native_kernels.add`.
int32_t add_kernel(const char* name, const spoc_native_kernel* kernel, spoc_be_error* error);

}  // namespace spoc::native
