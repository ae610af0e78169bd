// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

#include <spoc/spoc.hpp>

int main() {
    const spoc::runtime runtime;
    const spoc::device device = spoc::devices().front();
    const spoc::stream steps(device);
    spoc::device_vector<std::int32_t> routing(device, 8);

    for (std::int32_t step = 0; step < 1000; ++step) {
        // In place when what follows on the stream runs; the array is free again now.
        const std::array<std::int32_t, 8> choice{step, step + 1};
        routing.stage(steps, 0, choice);
        // Launches of this step, on the same stream, read it.
    }
    steps.synchronize();

    std::vector<std::int32_t> last(2);
    routing.read_range(0, last);
    std::cout << last[0] << ' ' << last[1] << '\n';
}
