// SPDX-License-Identifier: Apache-2.0
#include "spoc-info/physical.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace spoc::info;

namespace {

spoc_be_device_info gpu() {
    spoc_be_device_info info{};
    info.kind = SPOC_BE_KIND_DISCRETE;
    return info;
}

spoc_be_device_info with_uuid(spoc_be_device_info info, std::uint8_t first) {
    info.flags |= SPOC_BE_DEVICE_HAS_UUID;
    info.uuid[0] = first;
    info.uuid[15] = 0xEF;
    return info;
}

spoc_be_device_info with_pci(spoc_be_device_info info, std::uint32_t bus) {
    info.flags |= SPOC_BE_DEVICE_HAS_PCI;
    info.pci[1] = bus;
    return info;
}

std::vector<std::vector<std::size_t>> groups(const std::vector<spoc_be_device_info>& devices) {
    std::vector<const spoc_be_device_info*> pointers;
    pointers.reserve(devices.size());
    for (const spoc_be_device_info& info : devices) {
        pointers.push_back(&info);
    }
    std::vector<std::vector<std::size_t>> members;
    for (const card& c : group_by_card(pointers)) {
        members.push_back(c.members);
    }
    return members;
}

using positions = std::vector<std::vector<std::size_t>>;

}  // namespace

TEST_CASE("a UUID and a PCI address are written as selectors take them", "[physical]") {
    CHECK(uuid_of(with_uuid(gpu(), 0x0A)) == "0a000000-0000-0000-0000-0000000000ef");
    CHECK(pci_of(with_pci(gpu(), 0x65)) == "0000:65:00.0");
}

TEST_CASE("what the driver did not say is nothing", "[physical]") {
    CHECK_FALSE(uuid_of(gpu()));
    CHECK_FALSE(pci_of(gpu()));
    spoc_be_device_info zero = gpu();
    zero.flags = SPOC_BE_DEVICE_HAS_UUID;
    CHECK_FALSE(uuid_of(zero));
}

TEST_CASE("one card seen through three backends is one card", "[physical]") {
    CHECK(groups({with_uuid(gpu(), 1), with_uuid(gpu(), 1), with_uuid(gpu(), 1)}) ==
          positions{{0, 1, 2}});
    CHECK(groups({with_pci(gpu(), 1), with_pci(gpu(), 2), with_pci(gpu(), 1)}) ==
          positions{{0, 2}, {1}});
}

TEST_CASE("UUID and PCI address together join devices that share only one each", "[physical]") {
    const spoc_be_device_info both = with_pci(with_uuid(gpu(), 1), 7);
    CHECK(groups({with_uuid(gpu(), 1), with_pci(gpu(), 7), both}) == positions{{0, 1, 2}});
    CHECK(groups({with_uuid(gpu(), 1), gpu(), with_pci(gpu(), 7), both}) ==
          positions{{0, 2, 3}, {1}});
}

TEST_CASE("devices without either are cards of their own", "[physical]") {
    CHECK(groups({gpu(), gpu()}) == positions{{0}, {1}});
    CHECK(groups({}).empty());
}

TEST_CASE("CPU devices are never grouped", "[physical]") {
    spoc_be_device_info cpu = with_uuid(gpu(), 1);
    cpu.kind = SPOC_BE_KIND_CPU;
    CHECK(groups({cpu, cpu, with_uuid(gpu(), 1)}) == positions{{0}, {1}, {2}});
}
