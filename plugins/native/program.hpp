// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>
#include <spoc/native.h>

/// A shared object, or the registry of kernels as it was when the program was made.
///
/// A shared object is never unloaded: descriptions and code live as long as the process by contract
/// (spoc/native.h), its kernels may have started threads, and other objects may have bound to it.
/// So a kernel needs nothing of its program, and a file that was rebuilt is seen only under another
/// name.
struct spoc_be_program_s {
    explicit spoc_be_program_s(void* shared_object, uint64_t age) noexcept
        : library(shared_object), registry_age(age) {}

    void* const library;  ///< null: the registry
    const uint64_t registry_age;
};

namespace spoc::native {

int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc, spoc_be_program* out,
                     spoc_be_error* error);
int32_t program_destroy(spoc_be_program program, spoc_be_error* error);

/// The kernel called `name`, whose description may still be malformed, or null.
const spoc_native_kernel* find_kernel(const spoc_be_program_s& program, const char* name);

}  // namespace spoc::native
