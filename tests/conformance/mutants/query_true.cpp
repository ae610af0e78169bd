// SPDX-License-Identifier: Apache-2.0
// A stream says that it is idle, whatever is pending.
// Case: stream/query_is_true
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_query(spoc_be_stream /*stream*/, spoc_be_error* /*error*/) { return SPOC_BE_OK; }

constexpr void change(spoc_be_table& be) { be.stream_query = stream_query; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
