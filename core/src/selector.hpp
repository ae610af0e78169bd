// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <spoc/backend.h>

#include "outcome.hpp"

namespace spoc::detail {

/// One device selector (spoc/device.h says the grammar).
struct selector {
    std::string text;
    std::string backend;  ///< empty: every backend
    std::optional<std::uint32_t> index;
    std::optional<std::array<std::uint8_t, 16>> uuid;
    std::optional<std::array<std::uint32_t, 4>> pci;

    /// Whether it fits a device.
    bool fits(std::string_view device_backend, const spoc_be_device_info& info) const;
};

/// Reads a list separated by commas. `where` names the argument or variable in messages. Errors:
/// NAME when one is malformed or the list is empty.
outcome parse_selectors(std::string_view where, std::string_view text, std::vector<selector>& out);

}  // namespace spoc::detail
