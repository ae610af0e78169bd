// SPDX-License-Identifier: Apache-2.0
// A device's description changes from call to call.
// Case: device/info_is_constant
#include <atomic>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    static std::atomic<uint64_t> calls{0};
    const int32_t status = original.device_info(index, info, error);
    info->memory_total += ++calls;
    return status;
}

constexpr void change(spoc_be_table& be) { be.device_info = device_info; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
