// SPDX-License-Identifier: Apache-2.0
// The table has another version than the note.
// Case: negotiation/note_equals_table
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr void change(spoc_be_table& be) { be.version = "1.1"; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
