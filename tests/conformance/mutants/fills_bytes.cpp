// SPDX-License-Identifier: Apache-2.0
// A fill repeats the lowest byte of its pattern.
// Case: fill/lengths_of_2
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t fill(spoc_be_stream stream, const spoc_be_fill* request, uint32_t* done,
             spoc_be_error* error) {
    spoc_be_fill changed = *request;
    changed.pattern_size = 1;
    return original.fill(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.fill = fill; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
