// SPDX-License-Identifier: Apache-2.0
// An event recorded on the default stream is complete at once.
// Case: event/query_is_true_on_the_default_stream
#include "default_streams.hpp"
#include "hasty_events.hpp"

namespace spoc::mutant {
namespace {

constexpr void change(spoc_be_table& be) {
    be.device_open = device_open_noted;
    be.event_create = event_create_not_hasty;
    be.event_record = event_record_hasty_on_default;
    be.event_query = event_query_hasty;
    be.event_sync = event_sync_hasty;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
