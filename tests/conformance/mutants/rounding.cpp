// SPDX-License-Identifier: Apache-2.0
// Making a buffer leaves the calling thread with another rounding of sums.
// Case: thread/state_kept_with_memory
#include <cfenv>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error) {
    std::fesetround(FE_TOWARDZERO);
    return original.buffer_create(device, desc, result, error);
}

constexpr void change(spoc_be_table& be) { be.buffer_create = buffer_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
