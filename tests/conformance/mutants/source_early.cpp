// SPDX-License-Identifier: Apache-2.0
// A copy that is only queued says that it has read its source.
// Case: copy/done_is_true_for_the_source
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    const int32_t status = original.copy(stream, request, done, error);
    if (status == SPOC_BE_OK && *done == SPOC_BE_DONE_NOTHING) {
        *done = SPOC_BE_DONE_HOST;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
