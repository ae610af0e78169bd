// SPDX-License-Identifier: Apache-2.0
// Recording an event anew does nothing while its last recording is pending.
// Case: event/recorded_again_while_pending
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    return original.event_query(event, nullptr) == SPOC_BE_NOT_READY
               ? SPOC_BE_OK
               : original.event_record(event, stream, error);
}

constexpr void change(spoc_be_table& be) { be.event_record = event_record; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
