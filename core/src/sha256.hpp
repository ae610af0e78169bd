// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace spoc::detail {

using sha256_digest = std::array<unsigned char, 32>;

/// SHA-256 of `data`, as FIPS 180-4 has it.
sha256_digest sha256(std::string_view data) noexcept;

/// A digest in hexadecimal digits.
std::string hexadecimal(const sha256_digest& digest);

}  // namespace spoc::detail
