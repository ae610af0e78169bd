// SPDX-License-Identifier: Apache-2.0
// What the backend works with is gone when the process begins to end.
// Case: lifecycle/quiesce
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

void quiesce(uint32_t reason) {
    original.quiesce(reason);
    original.close(nullptr);
}

constexpr void change(spoc_be_table& be) { be.quiesce = quiesce; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
