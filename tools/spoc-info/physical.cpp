// SPDX-License-Identifier: Apache-2.0
#include "physical.hpp"

#include <algorithm>
#include <numeric>

#include "common/text.hpp"

namespace spoc::info {
namespace {

bool same_card(const spoc_be_device_info& a, const spoc_be_device_info& b) {
    if (a.kind == SPOC_BE_KIND_CPU || b.kind == SPOC_BE_KIND_CPU) {
        return false;
    }
    const auto uuid = uuid_of(a);
    const auto pci = pci_of(a);
    return (uuid && uuid == uuid_of(b)) || (pci && pci == pci_of(b));
}

}  // namespace

std::optional<std::string> uuid_of(const spoc_be_device_info& properties) {
    const auto* begin = std::begin(properties.uuid);
    const auto* end = std::end(properties.uuid);
    const bool zero = std::all_of(begin, end, [](std::uint8_t byte) { return byte == 0; });
    if ((properties.flags & SPOC_BE_DEVICE_HAS_UUID) == 0 || zero) {
        return std::nullopt;
    }
    std::string text;
    for (const auto* byte = begin; byte != end; ++byte) {
        const auto position = byte - begin;
        const bool dash = position == 4 || position == 6 || position == 8 || position == 10;
        text += tools::formatted("%s%02x", dash ? "-" : "", static_cast<unsigned>(*byte));
    }
    return text;
}

std::optional<std::string> pci_of(const spoc_be_device_info& properties) {
    if ((properties.flags & SPOC_BE_DEVICE_HAS_PCI) == 0) {
        return std::nullopt;
    }
    return tools::formatted("%04x:%02x:%02x.%x", properties.pci[0], properties.pci[1],
                            properties.pci[2], properties.pci[3]);
}

std::vector<card> group_by_card(const std::vector<const spoc_be_device_info*>& devices) {
    // One device may join two groups (UUID with one, PCI address with the other), so groups are
    // merged by their root.
    std::vector<std::size_t> root(devices.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    for (std::size_t b = 0; b < devices.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            if (same_card(*devices[a], *devices[b])) {
                const std::size_t low = std::min(root[a], root[b]);
                const std::size_t high = std::max(root[a], root[b]);
                std::replace(root.begin(), root.end(), high, low);
            }
        }
    }
    std::vector<card> cards;
    for (std::size_t first = 0; first < devices.size(); ++first) {
        card group;
        for (std::size_t i = first; i < devices.size(); ++i) {
            if (root[i] == first) {
                group.members.push_back(i);
            }
        }
        if (!group.members.empty()) {
            cards.push_back(std::move(group));
        }
    }
    return cards;
}

}  // namespace spoc::info
