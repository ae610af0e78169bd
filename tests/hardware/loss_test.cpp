// SPDX-License-Identifier: Apache-2.0

/// \file
/// A device that is lost. The case is hidden, since nothing on the device works after it: it is run
/// alone, by its tag.

#include <cstdint>
#include <vector>

#include "fixture.hpp"
#include "support/refusal.hpp"

namespace spoc::test {

TEST_CASE_METHOD(hardware, "A kernel that writes to a bad address is reported at the next wait",
                 "[.loss][B22][H-41]") {
    if (dev().family() != "CUDA" && dev().family() != "HIP") {
        skips().add("where kernels run in the process, a bad address ends it");
        return;
    }
    const auto kernel = device_kernel::through_address(dev());
    if (!has(kernel)) {
        return;
    }
    const stream on(dev());
    const buffer other(dev(), 64);
    buffer result(dev(), 64);
    const vector<std::int32_t> kept(64);
    CHECK_FALSE(dev().is_lost());
    launch(kernel->get(), {.grid = 1, .block = 1}, on, out(result), std::uint64_t{8});
    CHECK(refusal_of([&] { on.synchronize(); }) == SPOC_SUB_DEVICE_LOST);
    std::vector<std::byte> host(64);
    CHECK(refusal_of([&] { copy_to_device(host, other); }) == SPOC_SUB_DEVICE_LOST);
    CHECK(refusal_of([&] { buffer(dev(), 64); }) == SPOC_SUB_DEVICE_LOST);
    CHECK(refusal_of([&] { on.synchronize(); }) == SPOC_SUB_DEVICE_LOST);
    CHECK(dev().is_lost());
}

}  // namespace spoc::test
