// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spoc::detail {

/// Words of `SPOC_DEBUG`, as bits.
inline constexpr std::uint32_t debug_leaks = 1;  ///< say what was never given back
inline constexpr std::uint32_t debug_validate =
    2;  ///< look for broken rules of threads and launches

/// The words that are on.
inline std::atomic<std::uint32_t> debug_words{0};

/// Any thread.
inline bool debug_is_on(std::uint32_t word) noexcept {
    return (debug_words.load(std::memory_order_relaxed) & word) != 0;
}

/// The words of `text`, separated by commas, that are none of the above.
std::vector<std::string> unknown_debug_words(std::string_view text);

/// Whether `text` has no such word.
bool is_debug_specification(std::string_view text);

/// Switches on the known words of `SPOC_DEBUG`'s value, and the others off; null: all are off.
void configure_debug(const char* specification);

}  // namespace spoc::detail
