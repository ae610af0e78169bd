// SPDX-License-Identifier: Apache-2.0
// A source above 1 KiB given with CONSUME_HOST is read after the call has returned.
// Case: copy/consumed_source_behind_work
#include "late_consumption.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    constexpr uint64_t most = 1024;
    const bool late = (request->flags & SPOC_BE_CONSUME_HOST) != 0 && request->ranges->bytes > most;
    return late ? copy_consuming_late(stream, *request, done, error)
                : original.copy(stream, request, done, error);
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
