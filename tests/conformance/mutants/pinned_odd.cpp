// SPDX-License-Identifier: Apache-2.0
// Page-locked memory begins in the middle of a page.
// Case: pinned/is_page_aligned
#include <cstddef>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error) {
    constexpr uint64_t gap = 64;
    spoc_be_hostmem_desc changed = *desc;
    changed.bytes = desc->bytes < UINT64_MAX - gap ? desc->bytes + gap : desc->bytes;
    const int32_t status = original.pinned_alloc(device, &changed, result, error);
    if (status == SPOC_BE_OK) {
        result->host = static_cast<std::byte*>(result->host) + gap;
        result->bytes -= gap;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.pinned_alloc = pinned_alloc; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
