// SPDX-License-Identifier: Apache-2.0
// Copies move whole words, past the end of a range.
// Case: copy/to_device_lengths_ordinary_0_to_0
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    return copy_changed(stream, *request, done, error,
                        [](spoc_be_range& range) { range.bytes = (range.bytes + 3) / 4 * 4; });
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
