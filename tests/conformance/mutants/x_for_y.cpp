// SPDX-License-Identifier: Apache-2.0
// The grid's extents in x and y are swapped.
// Case: launch/geometry_xy
#include <utility>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    spoc_be_launch changed = *request;
    std::swap(changed.grid[0], changed.grid[1]);
    return original.launch(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
