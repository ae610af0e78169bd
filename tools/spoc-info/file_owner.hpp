// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spoc::info {

/// "owner root (0), group root (0), mode 0644", or why that cannot be said.
std::string describe_owner(const std::string& path);

}  // namespace spoc::info
