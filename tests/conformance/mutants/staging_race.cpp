// SPDX-License-Identifier: Apache-2.0
// Copies of up to 4 KiB to the device go through one block, without a lock.
// Case: thread/contended_copies
#include "unlocked_staging.hpp"

namespace spoc::mutant {
namespace {

constexpr void change(spoc_be_table& be) { be.copy = copy_through_block<4096>; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
