// SPDX-License-Identifier: Apache-2.0
#include "debug.hpp"

#include "env.hpp"

namespace spoc::detail {
namespace {

/// 0: there is no such word.
std::uint32_t bit_of(std::string_view word) {
    if (word == "leaks") {
        return debug_leaks;
    }
    return word == "validate" ? debug_validate : 0;
}

}  // namespace

std::vector<std::string> unknown_debug_words(std::string_view text) {
    std::vector<std::string> words = split(text, ',');
    std::erase_if(words, [](const std::string& word) { return bit_of(word) != 0; });
    return words;
}

bool is_debug_specification(std::string_view text) { return unknown_debug_words(text).empty(); }

void configure_debug(const char* specification) {
    std::uint32_t on = 0;
    if (specification != nullptr) {
        for (const std::string& word : split(specification, ',')) {
            on |= bit_of(word);
        }
    }
    debug_words.store(on, std::memory_order_relaxed);
}

}  // namespace spoc::detail
