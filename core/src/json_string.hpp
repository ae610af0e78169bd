// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace spoc::detail {

/// Appends `text` as a JSON string, with its quotes. What is no UTF-8 becomes U+FFFD, since drivers
/// and programs name things as they like.
void append_json_string(std::string& out, std::string_view text);

}  // namespace spoc::detail
