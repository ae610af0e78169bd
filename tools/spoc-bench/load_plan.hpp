// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace spoc::bench {

/// What the user asked for.
struct load_wish {
    std::optional<std::uint64_t> slot_bytes;  ///< empty: as it fits
    std::uint32_t slots = 4;                  ///< at least 2
};

/// What a device can take, in bytes; empty where it does not say.
struct device_limits {
    std::optional<std::uint64_t> max_alloc;
    std::optional<std::uint64_t> memory_free;
};

/// How a file is cut: into pieces of `slot_bytes`, the last one shorter, that pass through `slots`
/// slots.
struct load_plan {
    std::uint64_t file_bytes = 0;
    std::uint64_t slot_bytes = 0;
    std::uint32_t slots = 0;

    std::uint64_t pieces() const noexcept {
        return file_bytes / slot_bytes + (file_bytes % slot_bytes != 0 ? 1 : 0);
    }
};

/// Cuts a file of `file_bytes` (at least 1). No slot is larger than the device's largest
/// allocation, and all of them take at most a quarter of its free memory. Throws
/// `std::runtime_error` when the wish breaks that limit, or nothing fits it.
load_plan plan_load(const load_wish& wish, std::uint64_t file_bytes, const device_limits& limits);

}  // namespace spoc::bench
