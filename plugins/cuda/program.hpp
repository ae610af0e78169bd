// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include <spoc/backend.h>

#include "driver.hpp"

/// Loaded code. Kernels keep it: a kernel may outlive the handle of its program.
struct spoc_be_program_s {
    spoc_be_program_s(spoc_be_device owner, spoc::driver::module loaded,
                      std::string&& image) noexcept
        : device(owner), module(loaded), binary(std::move(image)) {}

    const spoc_be_device device;
    const spoc::driver::module module;
    const std::string binary;  ///< the device's own form of it
    std::atomic<std::uint32_t> users{1};
};

namespace spoc::cudalike {

std::int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc,
                          spoc_be_program* out, spoc_be_error* error);
std::int32_t program_destroy(spoc_be_program program, spoc_be_error* error);
std::int32_t program_binary(spoc_be_program program, void* data, std::uint64_t capacity,
                            std::uint64_t* bytes, spoc_be_error* error);

/// Lets go of a use of the program, which ends with the last.
std::int32_t release(spoc_be_program program, spoc_be_error* error);

}  // namespace spoc::cudalike
