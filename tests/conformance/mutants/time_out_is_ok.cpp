// SPDX-License-Identifier: Apache-2.0
// A wait for an event whose time runs out answers OK.
// Case: event/sync_polling_is_true
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_sync(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error) {
    const int32_t status = original.event_sync(event, timeout_ns, error);
    return status == SPOC_BE_NOT_READY ? SPOC_BE_OK : status;
}

constexpr void change(spoc_be_table& be) { be.event_sync = event_sync; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
