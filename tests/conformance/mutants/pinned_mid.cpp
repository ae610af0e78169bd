// SPDX-License-Identifier: Apache-2.0
// Page-locked memory of some sizes begins in the middle of a page.
// Case: pinned/is_page_aligned
#include <cstddef>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error) {
    constexpr uint64_t gap = 64;
    spoc_be_hostmem_desc changed = *desc;
    const bool is_pooled = desc->bytes > 8192 && desc->bytes < (1U << 20);
    changed.bytes += is_pooled ? gap : 0;
    const int32_t status = original.pinned_alloc(device, &changed, result, error);
    if (status == SPOC_BE_OK && is_pooled) {
        result->host = static_cast<std::byte*>(result->host) + gap;
        result->bytes -= gap;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.pinned_alloc = pinned_alloc; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
