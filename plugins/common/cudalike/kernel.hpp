// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <spoc/backend.h>

#include "driver.hpp"

struct spoc_be_kernel_s {
    spoc_be_kernel_s(spoc_be_program owner, spoc::driver::function driver_handle,
                     std::uint32_t reflection_level,
                     std::vector<spoc_be_param>&& parameters) noexcept
        : program(owner),
          handle(driver_handle),
          reflection(reflection_level),
          params(std::move(parameters)) {}

    const spoc_be_program program;
    const spoc::driver::function handle;
    const std::uint32_t reflection;  ///< `SPOC_BE_REFLECTION_*`
    const std::vector<spoc_be_param> params;
    /// Dynamic shared memory that the driver was told to allow.
    std::atomic<std::uint32_t> shared_allowed{48U * 1024};
};

namespace spoc::cudalike {

std::int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc,
                        spoc_be_kernel* out, spoc_be_error* error);
std::int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error);
std::int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, std::uint32_t capacity,
                           std::uint32_t* count, spoc_be_error* error);
std::int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* error);
std::int32_t launch(spoc_be_stream stream, const spoc_be_launch* launch, std::uint32_t* done,
                    spoc_be_error* error);

}  // namespace spoc::cudalike
