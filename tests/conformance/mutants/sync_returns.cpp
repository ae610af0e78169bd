// SPDX-License-Identifier: Apache-2.0
// Waiting for a stream returns at once.
// Case: copy/round_trip_on_stream
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_sync(spoc_be_stream /*stream*/, uint64_t /*timeout_ns*/, spoc_be_error* /*error*/) {
    return SPOC_BE_OK;
}

constexpr void change(spoc_be_table& be) { be.stream_sync = stream_sync; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
