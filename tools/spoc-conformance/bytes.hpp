// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spoc::conformance {

using byte_vector = std::vector<std::byte>;

/// Of a word, in which kernels and busy work leave their results.
inline constexpr std::uint64_t word_bytes = sizeof(std::uint32_t);

/// Bytes of a page of this process's memory.
std::size_t page_bytes();

/// Bytes that look random and depend on `seed` alone; another seed gives other bytes nearly
/// everywhere.
byte_vector pattern(std::size_t count, std::uint64_t seed);

/// Fails at the first byte in which the two differ, with its offset and both values. `what` names
/// what was read: "the device's bytes after the copy".
void expect_bytes(std::span<const std::byte> wanted, std::span<const std::byte> got,
                  std::string_view what);

/// `bytes` between two stretches of canaries that a plugin must not touch.
class guarded {
 public:
    explicit guarded(std::size_t bytes, std::uint64_t seed = 0);

    std::byte* data() { return storage_.data() + margin; }
    std::size_t size() const { return storage_.size() - 2 * margin; }
    std::span<std::byte> bytes() { return {data(), size()}; }

    /// Fails when a canary changed.
    void expect_intact(std::string_view what) const;

 private:
    static constexpr std::size_t margin = 256;
    byte_vector storage_;
};

}  // namespace spoc::conformance
