// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spoc::detail {

/// Host bytes from `begin` to `end`, as addresses.
struct host_bytes {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    host_bytes() noexcept = default;
    host_bytes(const void* start, std::uint64_t bytes) noexcept
        : begin(reinterpret_cast<std::uintptr_t>(start)), end(begin + bytes) {}

    bool is_empty() const noexcept { return begin == end; }
    bool overlaps(const host_bytes& other) const noexcept {
        return begin < other.end && other.begin < end;
    }
};

}  // namespace spoc::detail
