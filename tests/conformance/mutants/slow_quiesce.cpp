// SPDX-License-Identifier: Apache-2.0
// The plugin takes its time when the process ends.
// Case: lifecycle/quiesce
#include <unistd.h>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

void quiesce(uint32_t reason) {
    sleep(1);
    original.quiesce(reason);
}

constexpr void change(spoc_be_table& be) { be.quiesce = quiesce; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
