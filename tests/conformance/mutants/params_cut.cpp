// SPDX-License-Identifier: Apache-2.0
// The number of a kernel's parameters is cut to the room that there is for them.
// Case: program/params_with_little_room_native_symbol
#include <algorithm>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, uint32_t capacity,
                      uint32_t* count, spoc_be_error* error) {
    const int32_t status = original.kernel_params(kernel, params, capacity, count, error);
    *count = std::min(*count, capacity);
    return status;
}

constexpr void change(spoc_be_table& be) { be.kernel_params = kernel_params; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
