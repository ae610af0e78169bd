// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "default_streams.hpp"
#include "handle_set.hpp"
#include "mutant.hpp"

namespace spoc::mutant {

/// Events that count as complete although they may not be.
inline handle_set<spoc_be_event> hasty_events;

inline int32_t event_query_hasty(spoc_be_event event, spoc_be_error* error) {
    return hasty_events.contain(event) ? SPOC_BE_OK : original.event_query(event, error);
}

inline int32_t event_sync_hasty(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error) {
    return hasty_events.contain(event) ? SPOC_BE_OK : original.event_sync(event, timeout_ns, error);
}

/* ---- Those that were recorded on a default stream: with `device_open_noted` ---- */

inline int32_t event_create_not_hasty(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                                      spoc_be_error* error) {
    const int32_t status = original.event_create(device, flags, out, error);
    if (status == SPOC_BE_OK) {
        hasty_events.set(*out, false);
    }
    return status;
}

inline int32_t event_record_hasty_on_default(spoc_be_event event, spoc_be_stream stream,
                                             spoc_be_error* error) {
    hasty_events.set(event, default_streams.contain(stream));
    return original.event_record(event, stream, error);
}

}  // namespace spoc::mutant
