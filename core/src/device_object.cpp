// SPDX-License-Identifier: Apache-2.0
#include "device_object.hpp"

#include "device.hpp"
#include "process_state.hpp"

namespace spoc::detail {

void device_object::begin() { device_.add(*this); }

outcome device_object::finish() {
    // After a fork locks may be held for ever by threads that are not there.
    return process_state() == SPOC_BE_PROCESS_RUNNING ? device_.end(*this) : outcome{};
}

}  // namespace spoc::detail
