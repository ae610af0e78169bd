// SPDX-License-Identifier: Apache-2.0
// Of the ranges of one call no more than 256 are copied.
// Case: copy/thousands_of_ranges
#include <algorithm>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    spoc_be_copy changed = *request;
    changed.count = std::min<uint32_t>(changed.count, 256);
    return original.copy(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
