// SPDX-License-Identifier: Apache-2.0
// A source above 1 KiB given with CONSUME_HOST is read after the call has returned.
// Case: copy/consumed_source_behind_work
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

/// Makes the layer below take ordinary memory for page-locked memory.
int block;

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    constexpr uint64_t most = 1024;
    if ((request->flags & SPOC_BE_CONSUME_HOST) == 0 || request->ranges->bytes <= most) {
        return original.copy(stream, request, done, error);
    }
    spoc_be_copy changed = *request;
    changed.flags &= ~SPOC_BE_CONSUME_HOST;
    const int32_t status = copy_changed(stream, changed, done, error, [](spoc_be_range& range) {
        range.hostmem = reinterpret_cast<spoc_be_hostmem>(&block);
    });
    *done |= SPOC_BE_DONE_HOST;
    return status;
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
