// SPDX-License-Identifier: Apache-2.0
// A device denies timing of events without a reason.
// Case: honesty/event_timing
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    const int32_t status = original.device_info(index, info, error);
    info->caps[1] &= ~(uint64_t{1} << SPOC_BE_CAP_EVENT_TIMING % 64);
    return status;
}

constexpr void change(spoc_be_table& be) { be.device_info = device_info; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
