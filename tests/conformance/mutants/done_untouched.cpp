// SPDX-License-Identifier: Apache-2.0
// A copy that is refused leaves *done as it was.
// Case: request/copy_unknown_flag
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    uint32_t now = *done;
    const int32_t status = original.copy(stream, request, &now, error);
    if (status == SPOC_BE_OK) {
        *done = now;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
