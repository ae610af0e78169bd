// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mutant.hpp"

namespace spoc::mutant {

/// A copy given with CONSUME_HOST whose source is read only when the copy runs.
inline int32_t copy_consuming_late(spoc_be_stream stream, const spoc_be_copy& request,
                                   uint32_t* done, spoc_be_error* error) {
    // Makes the layer below take ordinary memory for page-locked memory.
    static int block;
    spoc_be_copy changed = request;
    changed.flags &= ~SPOC_BE_CONSUME_HOST;
    const int32_t status = copy_changed(stream, changed, done, error, [](spoc_be_range& range) {
        range.hostmem = reinterpret_cast<spoc_be_hostmem>(&block);
    });
    *done |= SPOC_BE_DONE_HOST;
    return status;
}

}  // namespace spoc::mutant
