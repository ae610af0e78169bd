// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <spoc/backend.h>

#include "stream.hpp"

namespace spoc::asynchronous {

/// Gives a piece of work to a stream, and waits for it when `waits`. `*done` is DONE_ALL at the
/// call, and stays so on failure: what did not run is not in flight.
inline int32_t submit(spoc_be_stream target, std::unique_ptr<work> piece, bool waits,
                      uint32_t* done, spoc_be_error* error) {
    stream& on = stream::of(target);
    if (waits) {
        return on.run(std::move(piece), error);
    }
    const int32_t status = on.enqueue(std::move(piece), error);
    if (status == SPOC_BE_OK) {
        *done = SPOC_BE_DONE_NOTHING;
    }
    return status;
}

}  // namespace spoc::asynchronous
