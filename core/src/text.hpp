// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace spoc::detail {

/// Longest prefix of `text` of at most `limit` bytes that does not cut a UTF-8 sequence.
inline std::string_view cut(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) {
        return text;
    }
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return text.substr(0, end);
}

/// Writes `text` into a field of `capacity` bytes, cut to fit, with its NUL. Nothing is written
/// when `capacity` is 0.
inline void copy_text(char* field, std::size_t capacity, std::string_view text) {
    if (capacity == 0) {
        return;
    }
    const std::string_view kept = cut(text, capacity - 1);
    std::memcpy(field, kept.data(), kept.size());
    field[kept.size()] = '\0';
}

/// The same for an array field.
template <std::size_t N>
void copy_text(char (&field)[N], std::string_view text) {
    copy_text(static_cast<char*>(field), N, text);
}

/// Text of an array field that a plugin filled, whether or not it ends in NUL.
template <std::size_t N>
std::string_view field_text(const char (&field)[N]) {
    return {static_cast<const char*>(field), strnlen(static_cast<const char*>(field), N)};
}

inline void append(std::string& out, std::string_view part) { out.append(part); }
inline void append(std::string& out, char part) { out.push_back(part); }
template <std::integral Number>
void append(std::string& out, Number part) {
    out.append(std::to_string(part));
}

/// One string out of texts, characters and whole numbers.
template <typename... Parts>
std::string say(const Parts&... parts) {
    std::string out;
    (append(out, parts), ...);
    return out;
}

}  // namespace spoc::detail
