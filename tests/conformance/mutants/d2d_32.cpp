// SPDX-License-Identifier: Apache-2.0
// The source's offset in a copy within the device is cut to 32 bits.
// Case: buffer/large_buffer
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    if (request->kind != SPOC_BE_COPY_D2D) {
        return original.copy(stream, request, done, error);
    }
    return copy_changed(stream, *request, done, error, [&](spoc_be_range& range) {
        range.src_offset = static_cast<uint32_t>(range.src_offset);
    });
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
