// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Text for people: sizes, columns, and foreign text made safe for a terminal.

namespace spoc::tools {

/// What printf would print.
__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...);

/// "0 B", "512 B", "1.5 KiB", "15.6 GiB": binary units, one decimal above bytes.
std::string human_bytes(std::uint64_t bytes);

/// `text` with line ends and tabs replaced by spaces, and every other control character and every
/// byte that is not valid UTF-8 by U+FFFD, so that a driver's name can neither steer a terminal nor
/// break a line.
std::string printable(std::string_view text);

/// Columns that valid UTF-8 takes on a terminal, one a code point.
std::size_t columns(std::string_view text);

/// `text` with spaces appended until it takes `width` columns; longer text stays as it is.
std::string pad(std::string_view text, std::size_t width);

/// `text` broken at spaces into lines of at most `width` columns (at least 1 line). A word that is
/// longer than a line is broken inside.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// `text` if it takes at most `width` columns, else its first words and "...".
std::string cut(std::string_view text, std::size_t width);

}  // namespace spoc::tools
