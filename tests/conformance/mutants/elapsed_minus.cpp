// SPDX-License-Identifier: Apache-2.0
// The time between two events has the wrong sign.
// Case: event/elapsed_over_busy_work
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns, spoc_be_error* error) {
    return original.event_elapsed(stop, start, ns, error);
}

constexpr void change(spoc_be_table& be) { be.event_elapsed = event_elapsed; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
