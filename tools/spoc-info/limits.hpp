// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <spoc/backend.h>

namespace spoc::info {

/// A limit of a device under the name that `--json` gives it.
struct limit {
    const char* name;
    bool in_bytes;
    bool is_extent;                                     ///< x, y, z, else one figure
    std::vector<std::optional<std::uint64_t>> figures;  ///< nothing: not known
};

/// Every limit of the contract, in a fixed order, without the timer's tick (the only one that is no
/// whole number).
std::vector<limit> limits_of(const spoc_be_device_info& properties);

/// Nanoseconds of the timer's tick, or nothing.
std::optional<double> timer_tick_of(const spoc_be_device_info& properties);

/// Names of the program formats that a device takes, by bit; "bit_17" for one that this program
/// does not know.
std::vector<std::string> formats_of(const spoc_be_device_info& properties);

/// A 32-bit figure, or nothing when it is all-ones.
std::optional<std::uint32_t> known(std::uint32_t figure);
/// A 64-bit figure, likewise.
std::optional<std::uint64_t> known(std::uint64_t figure);

/// "580.159.4": the parts of a version that are known, or nothing. Four zeros are a version that
/// nobody filled in.
std::optional<std::string> version_text(const std::uint32_t (&parts)[4]);

}  // namespace spoc::info
