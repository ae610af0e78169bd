// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fnmatch.h>

#include <string>

namespace spoc::conformance {

/// Whether `name` matches the shell pattern; `*` reaches across '/'.
inline bool matches(const std::string& pattern, const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace spoc::conformance
