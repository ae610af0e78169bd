// SPDX-License-Identifier: Apache-2.0
// Copies to the host read all ranges from the buffer of the first.
// Case: copy/several_buffers_to_host
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    if (request->kind != SPOC_BE_COPY_D2H) {
        return original.copy(stream, request, done, error);
    }
    return copy_changed(stream, *request, done, error,
                        [&](spoc_be_range& range) { range.src = request->ranges->src; });
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
