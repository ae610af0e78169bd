// SPDX-License-Identifier: Apache-2.0
// Page-locked memory can be had and not given back.
// Case: negotiation/whole_groups
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr void change(spoc_be_table& be) { be.pinned_free = nullptr; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
