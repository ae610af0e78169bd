// SPDX-License-Identifier: Apache-2.0
// Fills say that they are complete while they are queued.
// Case: fill/done_is_true
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t fill(spoc_be_stream stream, const spoc_be_fill* request, uint32_t* done,
             spoc_be_error* error) {
    const int32_t status = original.fill(stream, request, done, error);
    if (status == SPOC_BE_OK) {
        *done = SPOC_BE_DONE_ALL;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.fill = fill; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
