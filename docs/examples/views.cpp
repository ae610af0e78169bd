// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

#include <spoc/spoc.hpp>

struct particle {
    float x, y, mass;
};
SPOC_FIELDS(particle, x, y, mass)

int main() {
    const spoc::runtime runtime;
    const std::vector<spoc::device> devices{spoc::devices().front()};

    // One part for each device. Each part has its own buffer and location there.
    spoc::vector<float> whole(1000);
    whole.fill(1);
    auto parts = spoc::partition(whole, std::span<const spoc::device>(devices));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].to_device(devices[i]);
        // Here a kernel would write the part; a ranged copy does for this page.
        const std::vector<float> result(parts[i].size(), 2.0F);
        parts[i].write_range(0, result);
    }

    // The whole cannot be used while parts of it are newer on devices.
    whole.gather();
    std::cout << whole.at(0) << ' ' << whole.at(999) << '\n';

    // Move elements on the host; ranges may overlap.
    whole.set(0, 5);
    spoc::blit(whole, 0, whole, 1, 3);
    std::cout << whole.at(1) << '\n';

    // Records, and a vector for each of their fields.
    spoc::soa_vector<particle> particles(10);
    {
        const spoc::host_writer<particle> writer = particles.overwrite();
        for (particle& one : writer.span()) {
            one = {1, 2, 3};
        }
    }
    particles.use_leaves(devices.front());
    // Here a kernel would be given particles.leaf<0>() and particles.leaf<2>().
    particles.leaf<2>().write_range(4, std::vector<float>{30});
    std::cout << particles.read()[4].y << ' ' << particles.read()[4].mass << '\n';
}
