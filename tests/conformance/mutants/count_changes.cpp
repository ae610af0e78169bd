// SPDX-License-Identifier: Apache-2.0
// The number of devices changes while the backend is open.
// Case: device/count_is_constant
#include <atomic>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_count(uint32_t* count, spoc_be_error* error) {
    static std::atomic<uint32_t> calls{0};
    const int32_t status = original.device_count(count, error);
    *count += calls++ > 1 ? 1 : 0;
    return status;
}

constexpr void change(spoc_be_table& be) { be.device_count = device_count; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
