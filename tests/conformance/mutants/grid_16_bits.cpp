// SPDX-License-Identifier: Apache-2.0
// The number of blocks along x is cut to 16 bits.
// Case: launch/wide_grids
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    spoc_be_launch changed = *request;
    changed.grid[0] = (changed.grid[0] - 1) % 65535 + 1;
    return original.launch(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
