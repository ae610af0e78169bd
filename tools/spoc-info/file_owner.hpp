// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model.hpp"

namespace spoc::info {

/// Owner, group and mode of the file at `path`, links followed.
file_owner owner_of(const std::string& path);

/// "owner root (0), group root (0), mode 0644", or why that cannot be said.
std::string owner_text(const file_owner& owner);

}  // namespace spoc::info
