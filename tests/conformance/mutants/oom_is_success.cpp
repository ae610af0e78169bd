// SPDX-License-Identifier: Apache-2.0
// A buffer that does not fit is made, of one page.
// Case: buffer/more_than_there_is
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error) {
    const int32_t status = original.buffer_create(device, desc, result, error);
    if (status != SPOC_BE_OUT_OF_MEMORY) {
        return status;
    }
    spoc_be_buffer_desc changed = *desc;
    changed.bytes = 4096;
    return original.buffer_create(device, &changed, result, error);
}

constexpr void change(spoc_be_table& be) { be.buffer_create = buffer_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
