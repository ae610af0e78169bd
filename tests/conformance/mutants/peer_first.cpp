// SPDX-License-Identifier: Apache-2.0
// Of several ranges from another device only the first is copied.
// Case: peer/many
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    spoc_be_copy changed = *request;
    changed.count = request->kind == SPOC_BE_COPY_PEER ? 1 : request->count;
    return original.copy(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
