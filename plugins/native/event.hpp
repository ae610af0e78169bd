// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include <spoc/backend.h>

/// A recording is complete when it is made, since everything before it in the stream is.
struct spoc_be_event_s {
    static constexpr int64_t never = std::numeric_limits<int64_t>::min();

    explicit spoc_be_event_s(uint32_t event_flags) noexcept : flags(event_flags) {}

    const uint32_t flags;  ///< `SPOC_BE_EVENT_*`
    std::atomic<int64_t> recorded{
        never};  ///< time of the current recording, nanoseconds of the steady clock
};

namespace spoc::native {

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error);
int32_t event_destroy(spoc_be_event event, spoc_be_error* error);
int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error);
int32_t event_query(spoc_be_event event, spoc_be_error* error);
int32_t event_sync(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error);
int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns, spoc_be_error* error);

}  // namespace spoc::native
