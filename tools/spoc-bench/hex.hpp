// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spoc::bench {

/// Two hexadecimal digits.
inline std::string hex(std::uint8_t byte) {
    constexpr auto digits = "0123456789abcdef";
    return {digits[byte >> 4U], digits[byte & 15U]};
}

}  // namespace spoc::bench
