// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

namespace spoc::info {

/// The machine and this process, as the operating system describes them.
host_facts host();

}  // namespace spoc::info
