// SPDX-License-Identifier: Apache-2.0
// Making an event never comes to an end.
// Case: event/never_recorded
#include <unistd.h>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_create(spoc_be_device /*device*/, uint32_t /*flags*/, spoc_be_event* /*out*/,
                     spoc_be_error* /*error*/) {
    for (;;) {
        pause();
    }
}

constexpr void change(spoc_be_table& be) { be.event_create = event_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
