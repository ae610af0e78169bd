// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

/// \file
/// How a case says what it found. A case that returns has passed; the two exceptions here end it
/// otherwise, and so does any other exception (a fault of the suite's own, reported as a failure).

namespace spoc::conformance {

/// The plugin did not do what the contract asks. The text is one full sentence without the case's
/// name.
class failure : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// There is nothing to try here: the text says what is missing.
class skipped : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// The parts printed one after the other.
template <typename... Parts>
std::string text(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
    throw failure(text(parts...));
}

template <typename... Parts>
[[noreturn]] void skip(const Parts&... parts) {
    throw skipped(text(parts...));
}

/// Fails with the sentence made of `parts` unless `holds`.
template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) {
        fail(parts...);
    }
}

/// Whether `words` can stand in a line of a report: UTF-8, without line ends, tabs or any other
/// control character.
bool is_plain(std::string_view words);

/// Fails unless `words` are plain, with a sentence that begins with `parts`: "The note has a name".
template <typename... Parts>
void require_plain(std::string_view words, const Parts&... parts) {
    require(is_plain(words), parts..., " that is no UTF-8 or holds control characters: \"", words,
            "\".");
}

/// "UNSUPPORTED (-2)"; a number that the contract does not name stands alone.
std::string status_text(std::int32_t status);

}  // namespace spoc::conformance
