// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace cuda_double {

/// Whether every bracket of a program's text is closed: what is cut short is not.
inline bool brackets_match(std::string_view text) {
    int depth = 0;
    for (const char one : text) {
        depth += one == '{' || one == '(' ? 1 : 0;
        depth -= one == '}' || one == ')' ? 1 : 0;
    }
    return depth == 0;
}

}  // namespace cuda_double
