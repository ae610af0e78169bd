// SPDX-License-Identifier: Apache-2.0
// The file exports a second symbol.
// Case: file/one_export
#include "mutant.hpp"

// Beside the table, and as visible.
SPOC_BE_EXTERN_C SPOC_BE_EXPORT const int spoc_mutant_leftover;
const int spoc_mutant_leftover = 1;

namespace spoc::mutant {
namespace {

constexpr void change(spoc_be_table& be) { be.vendor = "Acme"; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
