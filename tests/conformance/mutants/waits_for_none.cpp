// SPDX-License-Identifier: Apache-2.0
// A stream does not wait for events.
// Case: stream/wait_orders
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_wait(spoc_be_stream /*stream*/, spoc_be_event /*event*/, spoc_be_error* /*error*/) {
    return SPOC_BE_OK;
}

constexpr void change(spoc_be_table& be) { be.stream_wait = stream_wait; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
