// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <spoc/backend.h>

namespace spoc::info {

/// One piece of hardware: every device that is the same card, seen through whichever backend.
struct card {
    std::vector<std::size_t> members;  ///< positions in the list of devices, at least one
};

/// "01234567-89ab-...": what the driver said, or nothing; an all-zero UUID is nothing.
std::optional<std::string> uuid_of(const spoc_be_device_info& properties);

/// "0000:65:00.0", or nothing.
std::optional<std::string> pci_of(const spoc_be_device_info& properties);

/// Groups devices that are one card: same UUID or same PCI address. CPU devices are never grouped,
/// since software drivers repeat UUIDs. In order of their first members.
std::vector<card> group_by_card(const std::vector<const spoc_be_device_info*>& devices);

}  // namespace spoc::info
