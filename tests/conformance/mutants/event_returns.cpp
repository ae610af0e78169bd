// SPDX-License-Identifier: Apache-2.0
// Waiting for an event returns at once.
// Case: event/sync_for_ever_is_true
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_sync(spoc_be_event /*event*/, uint64_t /*timeout_ns*/, spoc_be_error* /*error*/) {
    return SPOC_BE_OK;
}

constexpr void change(spoc_be_table& be) { be.event_sync = event_sync; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
