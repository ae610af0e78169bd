// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model.hpp"

namespace spoc::info {

/// Each place that libspoc searched, in order, with the plugins found there. `entries` is the whole
/// list of backends. Looks at places and at names in them; opens no plugin.
std::vector<place_facts> describe_places(const std::vector<spoc_search_place>& places,
                                         const std::vector<spoc_backend_info>& entries);

/// "from SPOC_PLUGIN_PATH", "beside libspoc".
const char* origin_text(std::uint32_t source);

}  // namespace spoc::info
