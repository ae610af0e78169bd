// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model.hpp"

namespace spoc::info {

/// Every environment variable that SPOC reads: those of the library, in its order, then those of
/// its programs. Variables that begin with SPOC_ and are none of these follow where they are set,
/// with what is the matter with them. Needs no runtime.
std::vector<setting> every_setting();

/// Adds what is wrong with a filter of backends: the library tells when it looks for plugins.
/// Starts the runtime for that, and opens no plugin.
void check_filters(std::vector<setting>& list);

/// Why the value does not hold, or what would be used instead; empty when there is nothing to say.
std::string remark_on(const setting& variable);

}  // namespace spoc::info
