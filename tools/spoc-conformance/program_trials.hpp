// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <spoc/backend.h>

#include "device.hpp"
#include "kernels.hpp"

/// \file
/// What several groups of cases do with programs and the kernels in them. The caller ends what it
/// gets.

namespace spoc::conformance {

/// `program_load`; fails when its status and what it wrote do not go together.
std::int32_t load(const device& dev, const spoc_be_program_desc& desc, spoc_be_program& program,
                  spoc_be_error& error);
/// The same, which must answer OK.
spoc_be_program expect_load(const device& dev, const spoc_be_program_desc& desc);

/// `kernel_get`; fails when its status and what it wrote do not go together.
std::int32_t get(const device& dev, spoc_be_program program, const spoc_be_kernel_desc& desc,
                 spoc_be_kernel& kernel, spoc_be_error& error);

/// The block to say to `kernel_get` where a kernel must know its block.
extent block_to_say(const device& dev, const program_form& form);

/// The kernel "scale", its parameters declared.
spoc_be_kernel get_scale(device& dev, spoc_be_program program, const program_form& form);
/// A kernel of which only reflection knows the parameters.
spoc_be_kernel get_undeclared(const device& dev, spoc_be_program program, const program_form& form,
                              known_kernel kernel);

/// The kernel with the block that its program fixes, or else one of 64 threads.
ready_kernel with_own_block(const device& dev, spoc_be_kernel kernel);

/// The kernel "scale" does what it should.
void try_scale(device& dev, spoc_be_kernel kernel, std::uint32_t factor);

/// `kernel_params`, and how many it says there are.
std::uint32_t read_params(const device& dev, spoc_be_kernel kernel, spoc_be_param* params,
                          std::uint32_t capacity);

/// `program_binary`, and the length that it says.
std::uint64_t read_binary(const device& dev, spoc_be_program program, void* data,
                          std::uint64_t capacity);
std::string whole_binary(const device& dev, spoc_be_program program);
/// A program out of what `whole_binary` gave.
spoc_be_program load_binary(const device& dev, const std::string& binary);

}  // namespace spoc::conformance
