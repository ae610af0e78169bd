// SPDX-License-Identifier: Apache-2.0
// No stream waits for an event recorded on the default stream.
// Case: stream/wait_orders_after_the_default_stream
#include "default_streams.hpp"
#include "hasty_events.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error) {
    return hasty_events.contain(event) ? SPOC_BE_OK : original.stream_wait(stream, event, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_open = device_open_noted;
    be.event_create = event_create_not_hasty;
    be.event_record = event_record_hasty_on_default;
    be.stream_wait = stream_wait;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
