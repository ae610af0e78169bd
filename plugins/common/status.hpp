// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <spoc/backend.h>

namespace spoc::plugin {

/// Everything about a failure but its sentence.
struct failure {
    int32_t status = SPOC_BE_INTERNAL;
    uint32_t reason = SPOC_BE_REASON_NONE;
    int64_t native_code = 0;
    const char* native_domain = "";
    const char* origin = "";
    uint64_t asked = 0;
    uint64_t limit = 0;
    uint64_t tag = 0;
};

/// Length of the longest start of `text` that fits into `capacity` bytes and ends between two UTF-8
/// characters.
inline std::size_t utf8_prefix(std::string_view text, std::size_t capacity) noexcept {
    if (text.size() <= capacity) {
        return text.size();
    }
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    std::size_t length = capacity;
    while (length > 0 && continues(length)) {
        --length;
    }
    return length;
}

/// Writes `text` and a NUL to `out`, cut to `capacity` bytes in all. Writes nothing when `capacity`
/// is 0.
inline void copy_text(char* out, std::size_t capacity, std::string_view text) noexcept {
    if (capacity == 0) {
        return;
    }
    const std::size_t length = utf8_prefix(text, capacity - 1);
    std::copy_n(text.data(), length, out);
    out[length] = '\0';
}

template <std::size_t Capacity>
void copy_text(char (&out)[Capacity], std::string_view text) noexcept {
    copy_text(out, Capacity, text);
}

/// Writes the record as far as its caller's `size` reaches; a text field that is cut there still
/// ends in NUL.
inline void write_error(spoc_be_error* error, const failure& what,
                        std::string_view message) noexcept {
    const std::size_t size = std::min<std::size_t>(error->size, sizeof(spoc_be_error));
    const auto room = [size](std::size_t offset, std::size_t capacity) {
        return size <= offset ? 0 : std::min(capacity, size - offset);
    };
    spoc_be_error record{};
    record.size = error->size;
    record.status = what.status;
    record.reason = what.reason;
    record.native_code = what.native_code;
    record.asked = what.asked;
    record.limit = what.limit;
    record.tag = what.tag;
    copy_text(record.native_domain,
              room(offsetof(spoc_be_error, native_domain), sizeof record.native_domain),
              what.native_domain);
    copy_text(record.origin, room(offsetof(spoc_be_error, origin), sizeof record.origin),
              what.origin);
    copy_text(record.message, room(offsetof(spoc_be_error, message), sizeof record.message),
              message);
    std::memcpy(error, &record, size);
}

/// Fills `error`, which may be null, and returns the status: `return fail(error, {...}, "...")`.
/// Allocates nothing, so that it also works when there is no memory.
[[gnu::format(printf, 3, 4)]] inline int32_t fail(spoc_be_error* error, const failure& what,
                                                  const char* format, ...) noexcept {
    if (error == nullptr) {
        return what.status;
    }
    // More than the record holds, so that the cut is made by copy_text and not inside a character.
    std::array<char, 2 * sizeof error->message> message{};
    std::va_list arguments;
    va_start(arguments, format);
    static_cast<void>(std::vsnprintf(message.data(), message.size(), format, arguments));
    va_end(arguments);
    write_error(error, what, message.data());
    return what.status;
}

}  // namespace spoc::plugin
