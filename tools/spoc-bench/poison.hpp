// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spoc::bench {

/// The bytes that a slot is overwritten with before each copy into it, so that a copy that does
/// nothing, or stops short, leaves something else than the file's bytes.
struct poison {
    std::uint8_t device = 0;
    std::uint8_t host = 0;
};

/// Two different bytes, neither of them the first or the last of `data` (not empty): whatever the
/// file holds, a copy that misses either end is found out, and one that does nothing too.
inline poison choose_poison(std::span<const std::byte> data) {
    const auto first = std::to_integer<std::uint8_t>(data.front());
    const auto last = std::to_integer<std::uint8_t>(data.back());
    const auto next = [=](std::uint8_t byte) {
        do {
            ++byte;
        } while (byte == first || byte == last);
        return byte;
    };
    // Away from 0 and 255, which files hold most.
    const std::uint8_t device = next(0xA4);
    return {device, next(device)};
}

}  // namespace spoc::bench
