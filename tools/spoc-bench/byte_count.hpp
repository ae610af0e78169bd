// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spoc::bench {

/// Number of bytes that `text` says: decimal digits and at most one of K, M, G (powers of 1024,
/// either case). Empty when it says none, 0, or more than 64 bits hold.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);

}  // namespace spoc::bench
