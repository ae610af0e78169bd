// SPDX-License-Identifier: Apache-2.0
// Every range counts as page-locked.
// Case: pinned/query_tells_page_locked_from_ordinary
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t host_query(spoc_be_device /*device*/, const void* /*host*/, uint64_t /*bytes*/,
                   uint32_t* flags, spoc_be_error* /*error*/) {
    *flags = SPOC_BE_HOST_PINNED;
    return SPOC_BE_OK;
}

constexpr void change(spoc_be_table& be) { be.host_query = host_query; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
