// SPDX-License-Identifier: Apache-2.0
// The time between events is in milliseconds.
// Case: event/elapsed_in_nanoseconds
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns, spoc_be_error* error) {
    const int32_t status = original.event_elapsed(start, stop, ns, error);
    if (status == SPOC_BE_OK) {
        *ns /= 1e6;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.event_elapsed = event_elapsed; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
