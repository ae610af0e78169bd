// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model.hpp"

namespace spoc::info {

/// Judges an expression of `--require`: a selector ("cuda", "cuda:0", "any" for every backend),
/// optionally with a capability behind it ("any:pinned", "cuda:0:fp64"). Enumerates the backends
/// that it names. Throws `mistake` when it is not well formed, `spoc::error` as
/// `spoc_device_select` except where that is the answer.
requirement_result judge_requirement(const std::string& expression);

}  // namespace spoc::info
