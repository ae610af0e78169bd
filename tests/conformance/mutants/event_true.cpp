// SPDX-License-Identifier: Apache-2.0
// A recording counts as complete as soon as it is made.
// Case: event/query_is_true
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_query(spoc_be_event /*event*/, spoc_be_error* /*error*/) { return SPOC_BE_OK; }

constexpr void change(spoc_be_table& be) { be.event_query = event_query; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
