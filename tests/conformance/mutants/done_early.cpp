// SPDX-License-Identifier: Apache-2.0
// Launches say that they are complete while they are queued.
// Case: launch/done_is_true
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    const int32_t status = original.launch(stream, request, done, error);
    *done = SPOC_BE_DONE_ALL;
    return status;
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
