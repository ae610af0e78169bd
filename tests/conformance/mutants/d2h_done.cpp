// SPDX-License-Identifier: Apache-2.0
// Copies to the host say that they are complete while they are queued.
// Case: copy/done_is_true_to_host
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    const int32_t status = original.copy(stream, request, done, error);
    if (status == SPOC_BE_OK && request->kind == SPOC_BE_COPY_D2H) {
        *done = SPOC_BE_DONE_ALL;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
