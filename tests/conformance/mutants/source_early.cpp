// SPDX-License-Identifier: Apache-2.0
// A copy reads its source again after it said that it is done with it.
// Case: copy/done_is_true_for_the_source
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    // Often enough for the last time to come after the call.
    constexpr int times = 16;
    const bool queued = (request->flags & SPOC_BE_WAIT) == 0;
    int32_t status = original.copy(stream, request, done, error);
    for (int i = 1; i < times && queued && status == SPOC_BE_OK; ++i) {
        status = original.copy(stream, request, done, error);
        *done |= SPOC_BE_DONE_HOST;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
