// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kernels that trials launch. Each works on the bytes of its arguments, one a block, so that
/// the reference can run the same function on its own memory.

#include <array>
#include <cstddef>
#include <vector>

#include <spoc/native.h>

#include "support/recording/gate.h"

namespace spoc::model {

/// A kernel: its parameters, which are bytes of memory or 32-bit integers, and what it does.
struct kernel_kind {
    const char* name;
    std::vector<spoc_be_param> parameters;
    spoc_native_function run;

    bool writes(std::size_t index) const {
        return (parameters.at(index).access & SPOC_BE_ACCESS_WRITE) != 0;
    }
    bool is_memory(std::size_t index) const {
        return parameters.at(index).kind == SPOC_BE_PARAM_BUFFER;
    }
};

inline constexpr std::size_t kernel_count = 4;

const std::array<kernel_kind, kernel_count>& kernels();
/// Adds them to the plugin, for programs that are loaded from now on.
void add_kernels(const spoc_mock_gate& gate);

}  // namespace spoc::model
