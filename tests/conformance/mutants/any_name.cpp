// SPDX-License-Identifier: Apache-2.0
// A name that the program does not hold is an internal error.
// Case: program/kernel_not_found_native_symbol
#include "common/status.hpp"
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error) {
    const int32_t status = original.kernel_get(program, desc, out, error);
    return status == SPOC_BE_NOT_FOUND
               ? plugin::fail(error, {.status = SPOC_BE_INTERNAL}, "The kernel is missing.")
               : status;
}

constexpr void change(spoc_be_table& be) { be.kernel_get = kernel_get; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
