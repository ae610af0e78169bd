// SPDX-License-Identifier: Apache-2.0
// More memory is free than there is.
// Case: buffer/memory_info_follows
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error) {
    const int32_t status = original.device_memory(device, info, error);
    info->free = info->total + 1;
    return status;
}

constexpr void change(spoc_be_table& be) { be.device_memory = device_memory; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
