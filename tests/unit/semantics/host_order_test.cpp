// SPDX-License-Identifier: Apache-2.0

/// \file
/// What the library itself reads of host memory comes after pending work that writes it.

#include <cstdint>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
TEST_CASE("A vector is uploaded after pending work that writes its host storage",
          "[R-530][R-531][R-214]") {
    two_devices on;
    on.mock.gate.describe(1, SPOC_BE_KIND_CPU);
    on.begin();
    vector<std::int32_t> v(elements);
    v.fill(1);
    v.to_device(*on.e);
    REQUIRE(v.link(*on.e) == SPOC_LINK_HOST_STORAGE);
    const stream there(*on.e, SPOC_STREAM_NON_BLOCKING);
    on.mock.hold();
    on.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    const auto written = numbers(7);
    v.write_range(there, 0, written);
    REQUIRE(on.mock.pending() == 1);
    v.to_device(*on.d);
    std::vector<std::int32_t> got(elements);
    v.read_range(0, got);
    CHECK(got == written);
}

}  // namespace spoc::test
