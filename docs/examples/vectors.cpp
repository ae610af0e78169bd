// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

#include <spoc/spoc.hpp>

int main() {
    const spoc::runtime runtime;
    const spoc::device device = spoc::devices().front();

    // Keep data on a device: it is uploaded once, and again only after the host wrote.
    spoc::vector<float> weights(1000);
    weights.fill(0.5F);
    weights.to_device(device);

    // Copy part of it: the device's copy is now the newer one.
    const std::vector<float> row(10, 2.0F);
    weights.write_range(100, row);

    // The host asks, and gets the newest elements; nothing was said about copying them back.
    float sum = 0;
    for (const float weight : weights.read()) {
        sum += weight;
    }

    // The host writes; the device's copy is old until the next to_device.
    {
        const spoc::host_writer<float> writer = weights.write();
        writer[0] = 10.0F;
    }
    weights.to_device(device);
    std::vector<float> first(1);
    weights.read_range(0, first);

    // Free the device's memory. What only the device had would be brought back first.
    weights.free_all_buffers();
    std::cout << sum << ' ' << first[0] << ' ' << weights.at(100) << '\n';
}
