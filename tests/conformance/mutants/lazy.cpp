// SPDX-License-Identifier: Apache-2.0
// Symbols are bound at their first call.
// Case: file/bound_at_load
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr void change(spoc_be_table& be) { be.vendor = "Acme"; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
