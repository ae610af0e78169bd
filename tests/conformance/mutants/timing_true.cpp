// SPDX-License-Identifier: Apache-2.0
// Events with timing are complete at once.
// Case: event/timed_query_is_true
#include "hasty_events.hpp"

namespace spoc::mutant {
namespace {

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    const int32_t status = original.event_create(device, flags, out, error);
    if (status == SPOC_BE_OK) {
        hasty_events.set(*out, (flags & SPOC_BE_EVENT_TIMING) != 0);
    }
    return status;
}

constexpr void change(spoc_be_table& be) {
    be.event_create = event_create;
    be.event_query = event_query_hasty;
    be.event_sync = event_sync_hasty;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
