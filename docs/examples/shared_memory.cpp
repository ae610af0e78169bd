// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <vector>

#include <spoc/spoc.hpp>

int main() {
    const spoc::runtime runtime;
    const spoc::device device = spoc::devices().front();

    // A pool of the program's own, used by kernels where it is. Not every device can.
    std::vector<float> pool(1 << 20, 1.0F);
    std::uint32_t refusal = 0;
    std::optional<spoc::host_ptr_buffer<float>> in_place =
        spoc::host_ptr_buffer<float>::try_of_span(device, pool, &refusal);
    if (!in_place) {
        std::cout << "copied instead: " << spoc_sub_code_name(refusal) << '\n';
        return 0;
    }

    // The program writes the memory by its address, and says so before the next launch.
    pool[0] = 2;
    in_place->publish_host_writes();
    // Here a kernel would run. Then it waits for it before it reads the memory by its address.
    in_place->acquire_device_writes();
    std::cout << pool[0] << '\n';

    // Memory that host and device both address, where there is some: nothing is ever moved.
    if (spoc::unified_available(device)) {
        spoc::unified_vector<std::int32_t> counters(device, 16);
        counters.fill(0);
        counters.write_range(3, std::vector<std::int32_t>{7});
        std::cout << counters.at(3) << ' ' << counters.is_synced() << '\n';
    }
}
