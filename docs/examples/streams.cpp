// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <span>
#include <vector>

#include <spoc/spoc.hpp>

constexpr std::size_t part = 1 << 20;

/// A page-locked slot, and a mark behind the last copy from it.
struct slot {
    explicit slot(const spoc::device& device) : memory(device, part), copied(device) {}

    spoc::pinned_buffer<std::byte> memory;
    spoc::event copied;
};

int main() {
    const spoc::runtime runtime;
    const spoc::device device = spoc::devices().front();
    const std::vector<std::byte> data(16 * part + 5, std::byte{0x5A});
    const spoc::buffer target(device, data.size());

    const spoc::stream stream(device, SPOC_STREAM_NON_BLOCKING);
    std::array slots{slot(device), slot(device)};
    for (std::size_t at = 0, turn = 0; at < data.size(); at += part, ++turn) {
        slot& next = slots[turn % slots.size()];
        const std::size_t bytes = std::min(part, data.size() - at);
        next.copied.synchronize();  // the other slot is being copied meanwhile
        std::copy_n(data.data() + at, bytes, next.memory.data());
        spoc::copy_to_device(stream, next.memory.elements().first(bytes), target, at);
        next.copied.record(stream);
    }

    const spoc::stream reader(device, SPOC_STREAM_NON_BLOCKING);
    spoc::event written(device);
    written.record(stream);
    spoc::wait(reader, written);  // on the device; this thread goes on
    std::vector<std::byte> back(data.size());
    spoc::copy_to_host(reader, target, 0, back);
    reader.synchronize();
    std::cout << device.selector() << (back == data ? "  ok\n" : "  WRONG\n");
}
