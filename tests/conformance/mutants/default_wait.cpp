// SPDX-License-Identifier: Apache-2.0
// The default stream waits for no event.
// Case: stream/wait_orders_the_default_stream
#include "default_streams.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error) {
    return default_streams.contain(stream) ? SPOC_BE_OK
                                           : original.stream_wait(stream, event, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_open = device_open_noted;
    be.stream_wait = stream_wait;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
