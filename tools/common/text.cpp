// SPDX-License-Identifier: Apache-2.0
#include "common/text.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace spoc::tools {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Length in bytes of the UTF-8 character that `text` starts with; 0 when it starts with none, or
/// with one that is a control character (C0, DEL, C1).
std::size_t character_length(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) {
        return first >= 0x20 && first != 0x7F ? 1 : 0;
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length ||
        !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                     is_continuation)) {
        return 0;
    }
    const auto second = static_cast<unsigned char>(text[1]);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    const bool control = first == 0xC2 && second < 0xA0;
    return overlong || beyond || control ? 0 : length;
}

/// Bytes of the first `width` columns of `text`.
std::size_t prefix_bytes(std::string_view text, std::size_t width) {
    std::size_t bytes = 0;
    for (; bytes < text.size(); ++bytes) {
        if (!is_continuation(text[bytes]) && width-- == 0) {
            break;
        }
    }
    return bytes;
}

/// Bytes of the longest beginning of `text` that takes at most `width` columns and ends where a
/// word ends; a word that is too long is broken.
std::size_t line_bytes(std::string_view text, std::size_t width) {
    const std::size_t fits = prefix_bytes(text, width);
    if (fits == text.size() || text[fits] == ' ') {
        return fits;
    }
    const std::size_t space = text.rfind(' ', fits);
    return space == std::string_view::npos || space == 0 ? fits : space;
}

}  // namespace

std::string formatted(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    std::string text(static_cast<std::size_t>(std::max(length, 0)), '\0');
    static_cast<void>(std::vsnprintf(text.data(), text.size() + 1, format, again));
    va_end(again);
    return text;
}

std::string human_bytes(std::uint64_t bytes) {
    constexpr std::array<const char*, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        return std::to_string(bytes) + " B";
    }
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    // 1023.95 and more would print as 1024.0 of the smaller unit.
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return formatted("%.1f %s", value, units[unit]);
}

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const bool space = text[0] == '\n' || text[0] == '\t' || text[0] == '\r';
        result += space ? " " : length == 0 ? replacement : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string pad(std::string_view text, std::size_t width) {
    std::string result(text);
    result.append(width - std::min(width, columns(text)), ' ');
    return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    do {
        const std::size_t bytes = line_bytes(text, std::max<std::size_t>(width, 1));
        lines.emplace_back(text.substr(0, bytes));
        text.remove_prefix(bytes);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    } while (!text.empty());
    return lines;
}

std::string cut(std::string_view text, std::size_t width) {
    constexpr std::string_view ellipsis = "...";
    if (columns(text) <= width) {
        return std::string(text);
    }
    if (width <= ellipsis.size()) {
        return std::string(ellipsis.substr(0, width));
    }
    std::string result(text.substr(0, line_bytes(text, width - ellipsis.size())));
    return result.append(ellipsis);
}

}  // namespace spoc::tools
