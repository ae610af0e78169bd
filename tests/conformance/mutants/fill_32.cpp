// SPDX-License-Identifier: Apache-2.0
// The offset of a fill is cut to 32 bits.
// Case: buffer/large_buffer
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t fill(spoc_be_stream stream, const spoc_be_fill* request, uint32_t* done,
             spoc_be_error* error) {
    spoc_be_fill changed = *request;
    changed.offset = static_cast<uint32_t>(changed.offset);
    return original.fill(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.fill = fill; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
