// SPDX-License-Identifier: Apache-2.0
// The free memory of a device never changes.
// Case: buffer/memory_info_follows
#include <atomic>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error) {
    static std::atomic<uint64_t> first{0};
    const int32_t status = original.device_memory(device, info, error);
    uint64_t none = 0;
    first.compare_exchange_strong(none, info->free);
    info->free = first;
    return status;
}

constexpr void change(spoc_be_table& be) { be.device_memory = device_memory; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
