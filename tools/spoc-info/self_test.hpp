// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model.hpp"

namespace spoc::info {

/// Uses each device in small; see `spoc_device_self_test`. One result a device, in order.
std::vector<self_test_result> test_devices(const std::vector<device_facts>& devices);

}  // namespace spoc::info
