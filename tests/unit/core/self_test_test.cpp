// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;

/// "name outcome" of every step; passed 0, failed 1, skipped 2.
strings outcomes(spoc_device device) {
    std::array<spoc_self_test_step, 16> steps{};
    std::uint32_t count = 0;
    REQUIRE(told(spoc_device_self_test, device, steps.data(), 16U, &count) == "ok");
    strings found;
    for (std::uint32_t i = 0; i < count; ++i) {
        found.push_back(std::string(steps[i].name) + ' ' + std::to_string(steps[i].outcome));
    }
    return found;
}

}  // namespace

TEST_CASE_METHOD(device_fixture, "A good device passes every step that it offers") {
    info().pageable_max = GENERATE(std::uint64_t{0}, SPOC_BE_NO_LIMIT);
    begin();
    CHECK(outcomes(device) == strings{"allocate 0", "allocate_pinned 0", "copy 0",
                                      "copy_on_device 0", "fill 0", "event_order 0", "launch 2",
                                      "free_all 0"});
    CHECK(rec.buffers == 0);
    CHECK(rec.hostmems == 0);
}

TEST_CASE_METHOD(device_fixture, "A step that fails is told and the others still run") {
    begin();
    fault broken;
    broken.entry = "fill";
    rec.faults.push_back(broken);
    CHECK(outcomes(device) == strings{"allocate 0", "allocate_pinned 0", "copy 0",
                                      "copy_on_device 0", "fill 1", "event_order 0", "launch 2",
                                      "free_all 0"});
}

TEST_CASE_METHOD(runtime_fixture, "A step that the device does not offer is skipped", "[R-005]") {
    add("rec", entries::none);
    start();
    CHECK(outcomes(device_at(0)) == strings{"allocate 0", "allocate_pinned 2", "copy 0",
                                            "copy_on_device 0", "fill 0", "event_order 0",
                                            "launch 2", "free_all 0"});
}

TEST_CASE_METHOD(device_fixture,
                 "Steps are written as far as there is room, their number is always told") {
    begin();
    std::array<spoc_self_test_step, 3> steps{};
    std::uint32_t count = 0;
    CHECK(told(spoc_device_self_test, device, steps.data(), 2U, &count) == "ok");
    CHECK(count == 8);
    CHECK(std::string(steps[1].name) == "allocate_pinned");
    CHECK(std::string(steps[2].name).empty());
    CHECK(told(spoc_device_self_test, device, static_cast<spoc_self_test_step*>(nullptr), 0U,
               &count) == "ok");
    CHECK(count == 8);
}

}  // namespace spoc::test
