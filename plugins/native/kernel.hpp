// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>
#include <spoc/native.h>

/// A name for a description. Launches hold on to the description, which never ends, so that the
/// handle may be destroyed while they run.
struct spoc_be_kernel_s {
    explicit spoc_be_kernel_s(const spoc_native_kernel& kernel) noexcept : description(kernel) {}

    const spoc_native_kernel& description;
};

namespace spoc::native {

int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error);
int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error);
int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, uint32_t capacity,
                      uint32_t* count, spoc_be_error* error);
int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* error);

}  // namespace spoc::native
