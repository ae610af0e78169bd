// SPDX-License-Identifier: Apache-2.0
// Copies within the device use the buffers of the first range for all ranges.
// Case: copy/several_buffers_within
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    if (request->kind != SPOC_BE_COPY_D2D) {
        return original.copy(stream, request, done, error);
    }
    return copy_changed(stream, *request, done, error, [&](spoc_be_range& range) {
        range.dst = request->ranges->dst;
        range.src = request->ranges->src;
    });
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
