// SPDX-License-Identifier: Apache-2.0

/// \file
/// Views, records as arrays, and memory that host and device share, on whatever device is at hand.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "any_device_fixture.hpp"

namespace spoc::test {

struct any_record {
    float x;
    std::int32_t n;
    double z;
};
SPOC_FIELDS(any_record, x, n, z)

namespace {

using fixture = any_device;
using numbers_vector = vector<std::int32_t>;

}  // namespace

TEST_CASE_METHOD(fixture, "Parts that a device wrote are gathered into the whole",
                 "[any-device][R-224]") {
    numbers_vector whole(1001);
    whole.fill(1);
    const std::vector<device> devices(3, dev());
    auto parts = partition(whole, std::span<const device>(devices));
    for (numbers_vector& part : parts) {
        part.to_device(dev());
        part.write_range(part.size() - 1, std::vector<std::int32_t>{9});
    }
    CHECK(thrown([&] { whole.read(); }) == "invalid_argument stale_host");
    whole.gather();
    CHECK(whole.at(332) == 1);
    CHECK(whole.at(333) == 9);
    CHECK(whole.at(667) == 9);
    CHECK(whole.at(1000) == 9);
    whole.to_device(dev());
    std::vector<std::int32_t> got(1);
    whole.read_range(667, got);
    CHECK(got[0] == 9);
    parts[0].set(0, 5);
    whole.to_device(dev());
    whole.read_range(0, got);
    CHECK(got[0] == 5);
}

TEST_CASE_METHOD(fixture, "Leaves carry what records hold, and back",
                 "[any-device][R-231][R-232]") {
    soa_vector<any_record> v(100);
    {
        const host_writer<any_record> writer = v.overwrite();
        for (std::size_t i = 0; i < 100; ++i) {
            const auto n = static_cast<std::int32_t>(i);
            writer[i] = {static_cast<float>(n), -n, 2.0 * n};
        }
    }
    v.use_leaves(dev());
    v.leaf<1>().write_range(50, std::vector<std::int32_t>{77});
    std::vector<double> got(1);
    v.leaf<2>().read_range(50, got);
    CHECK(got[0] == 100.0);
    CHECK(v.read()[50].n == 77);
    CHECK(v.read()[50].x == 50.0F);
    CHECK(v.read()[51].n == -51);
    v.free_all_buffers();
    CHECK(v.read()[50].n == 77);
}

TEST_CASE_METHOD(fixture, "Host memory becomes a buffer, or is refused", "[any-device][R-321]") {
    std::vector<std::int32_t> memory(4096, 3);
    std::uint32_t refusal = 0;
    auto made = host_ptr_buffer<std::int32_t>::try_of_span(dev(), memory, &refusal);
    if (!made) {
        CHECK(refusal >= SPOC_SUB_NOT_CPU_DEVICE);
        CHECK(refusal <= SPOC_SUB_HOST_TOO_LARGE);
        skips().add("refused: " + std::string(spoc_sub_code_name(refusal)));
        return;
    }
    std::vector<std::int32_t> got(2);
    made->read_range(1000, got);
    CHECK(got == std::vector<std::int32_t>{3, 3});
    made->write_range(1000, std::vector<std::int32_t>{8});
    made->acquire_device_writes();
    CHECK(memory[1000] == 8);
    memory[1001] = 7;
    made->publish_host_writes();
    made->read_range(1000, got);
    CHECK(got == std::vector<std::int32_t>{8, 7});
}

TEST_CASE_METHOD(fixture, "Unified memory is up to date on both sides", "[any-device][U-2][U-3]") {
    if (!unified_available(dev())) {
        CHECK(thrown([&] { const unified_vector<float> made(dev(), 4); }) ==
              "feature_not_supported none");
        skips().add(std::string(dev().selector()) + " has no unified memory");
        return;
    }
    unified_vector<std::int32_t> v(dev(), 100);
    CHECK(v.link(dev()) == SPOC_LINK_UNIFIED);
    v.fill(4);
    CHECK(v.is_synced());
    v.write_range(10, std::vector<std::int32_t>{5});
    CHECK(v.at(10) == 5);
    CHECK(v.is_synced());
    v.free_all_buffers();
    CHECK(v.at(10) == 5);
    CHECK(v.at(99) == 4);
}

}  // namespace spoc::test
