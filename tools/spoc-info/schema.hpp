// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace spoc::info {

/// docs/schema/spoc-info-1.schema.json as it was when this program was built.
std::string_view schema_text();

}  // namespace spoc::info
