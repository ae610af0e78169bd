// SPDX-License-Identifier: Apache-2.0
// Registering a range clears it.
// Case: pinned/registering_keeps_contents
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                      spoc_be_hostmem_result* result, spoc_be_error* error) {
    if ((desc->flags & SPOC_BE_HOSTMEM_READ_ONLY) == 0) {
        std::memset(desc->host, 0, desc->bytes);
    }
    return original.host_register(device, desc, result, error);
}

constexpr void change(spoc_be_table& be) { be.host_register = host_register; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
