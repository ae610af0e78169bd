// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model.hpp"

namespace spoc::info {

/// The model as the one document of `--json`, as docs/schema/spoc-info-1.schema.json describes it.
/// Valid UTF-8 whatever drivers said.
std::string json_of(const model& m);

}  // namespace spoc::info
