// SPDX-License-Identifier: Apache-2.0
// A fill writes the bytes of its pattern in the order of big-endian machines.
// Case: fill/lengths_of_4
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t fill(spoc_be_stream stream, const spoc_be_fill* request, uint32_t* done,
             spoc_be_error* error) {
    spoc_be_fill changed = *request;
    changed.pattern = __builtin_bswap32(request->pattern) >> (32 - 8 * request->pattern_size);
    return original.fill(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.fill = fill; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
