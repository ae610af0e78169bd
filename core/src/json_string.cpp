// SPDX-License-Identifier: Apache-2.0
#include "json_string.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace spoc::detail {
namespace {

/// The bytes after the first one of a UTF-8 sequence, and the smallest character that needs them.
struct sequence {
    std::size_t more;
    std::uint32_t least;
};

/// `more` is 0 where `first` begins no sequence of several bytes.
sequence sequence_of(unsigned char first) noexcept {
    if ((first & 0xE0U) == 0xC0U) {
        return {1, 0x80};
    }
    if ((first & 0xF0U) == 0xE0U) {
        return {2, 0x800};
    }
    return (first & 0xF8U) == 0xF0U ? sequence{3, 0x10000} : sequence{0, 0};
}

/// Length of the sequence that `text` begins with; 0 when it is none that UTF-8 has.
std::size_t sequence_length(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text.front());
    const sequence found = sequence_of(first);
    if (found.more == 0 || text.size() <= found.more) {
        return 0;
    }
    std::uint32_t character = first & (0x3FU >> found.more);
    for (const char byte : text.substr(1, found.more)) {
        const auto next = static_cast<unsigned char>(byte);
        if ((next & 0xC0U) != 0x80U) {
            return 0;
        }
        character = (character << 6U) | (next & 0x3FU);
    }
    const bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
    return character < found.least || character > 0x10FFFF || is_surrogate ? 0 : found.more + 1;
}

void append_escape(std::string& out, unsigned char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u00";
    out += digits[c >> 4U];
    out += digits[c & 0xFU];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const auto c = static_cast<unsigned char>(text.front());
        std::size_t taken = 1;
        if (c == '"' || c == '\\') {
            out += '\\';
            out += text.front();
        } else if (c < 0x20 || c == 0x7F) {
            append_escape(out, c);
        } else if (c < 0x80) {
            out += text.front();
        } else if (const std::size_t length = sequence_length(text); length != 0) {
            out += text.substr(0, length);
            taken = length;
        } else {
            out += "\\ufffd";
        }
        text.remove_prefix(taken);
    }
    out += '"';
}

}  // namespace spoc::detail
