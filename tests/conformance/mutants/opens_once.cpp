// SPDX-License-Identifier: Apache-2.0
// A device that was closed cannot be opened again.
// Case: device/reopened
#include <atomic>

#include "common/status.hpp"
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_open(uint32_t index, const spoc_be_device_desc* desc, spoc_be_device_result* result,
                    spoc_be_error* error) {
    static std::atomic<bool> used{false};
    return used.exchange(true)
               ? plugin::fail(error, {.status = SPOC_BE_DRIVER}, "The device is gone.")
               : original.device_open(index, desc, result, error);
}

constexpr void change(spoc_be_table& be) { be.device_open = device_open; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
