// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"

#include <unistd.h>

#include <algorithm>

#include "check.hpp"

namespace spoc::conformance {
namespace {

constexpr std::byte canary{0xC7};

std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 30U;
    value *= 0xBF58476D1CE4E5B9U;
    value ^= value >> 27U;
    value *= 0x94D049BB133111EBU;
    return value ^ value >> 31U;
}

}  // namespace

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

byte_vector pattern(std::size_t count, std::uint64_t seed) {
    byte_vector bytes(count);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 8 == 0) {
            word = mix(seed * 0x9E3779B97F4A7C15U + i / 8 + 1);
        }
        bytes[i] = static_cast<std::byte>(word >> i % 8 * 8);
    }
    return bytes;
}

void expect_bytes(std::span<const std::byte> wanted, std::span<const std::byte> got,
                  std::string_view what) {
    require(wanted.size() == got.size(), what, ": ", got.size(), " bytes instead of ",
            wanted.size(), ".");
    const auto different = std::mismatch(wanted.begin(), wanted.end(), got.begin());
    if (different.first != wanted.end()) {
        fail(what, ": byte ", different.first - wanted.begin(), " of ", wanted.size(), " is ",
             std::to_integer<int>(*different.second), " instead of ",
             std::to_integer<int>(*different.first), ".");
    }
}

guarded::guarded(std::size_t bytes, std::uint64_t seed) : storage_(bytes + 2 * margin, canary) {
    const byte_vector contents = pattern(bytes, seed);
    std::copy(contents.begin(), contents.end(), storage_.begin() + margin);
}

void guarded::expect_intact(std::string_view what) const {
    const auto touched = [](std::byte byte) { return byte != canary; };
    require(std::none_of(storage_.begin(), storage_.begin() + margin, touched), what,
            ": bytes before the range were written.");
    require(std::none_of(storage_.end() - margin, storage_.end(), touched), what,
            ": bytes after the range were written.");
}

}  // namespace spoc::conformance
