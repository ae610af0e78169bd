// SPDX-License-Identifier: Apache-2.0
#include "load_plan.hpp"

#include <stdexcept>
#include <string>

#include "support/catch.hpp"

using spoc::bench::device_limits;
using spoc::bench::load_wish;
using spoc::bench::plan_load;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

std::string refusal(const load_wish& wish, std::uint64_t file_bytes, const device_limits& limits) {
    try {
        plan_load(wish, file_bytes, limits);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("without a wish a file passes through four slots of 16 MiB") {
    const auto plan = plan_load({}, gib + 1, {});
    CHECK(plan.slot_bytes == 16 * mib);
    CHECK(plan.slots == 4);
    CHECK(plan.pieces() == 65);
    CHECK(plan.file_bytes == gib + 1);
}

TEST_CASE("a small file gets a slot of its size") {
    const auto plan = plan_load({}, 1, {});
    CHECK(plan.slot_bytes == 1);
    CHECK(plan.slots == 1);
    CHECK(plan.pieces() == 1);
}

TEST_CASE("there are no more slots than pieces") {
    CHECK(plan_load({mib, 8}, 3 * mib, {}).slots == 3);
    CHECK(plan_load({mib, 8}, 3 * mib + 1, {}).slots == 4);
    CHECK(plan_load({mib, 8}, 30 * mib, {}).slots == 8);
}

TEST_CASE("default slots shrink to the largest allocation and to a quarter of the free memory") {
    CHECK(plan_load({}, gib, {5 * mib, {}}).slot_bytes == 4 * mib);
    CHECK(plan_load({}, gib, {{}, 16 * mib}).slot_bytes == mib);
    CHECK(plan_load({}, gib, {{}, 24 * mib}).slot_bytes == mib);
    CHECK(plan_load({}, gib, {5 * mib, 16 * mib}).slot_bytes == mib);
    CHECK(plan_load({{}, 2}, gib, {{}, 16 * mib}).slot_bytes == 2 * mib);
    CHECK(plan_load({}, gib, {{}, 16}).slot_bytes == 1);
}

TEST_CASE("a wish that fits is granted to the byte") {
    CHECK(plan_load({2 * mib - 1, 2}, gib, {{}, 16 * mib}).slot_bytes == 2 * mib - 1);
    CHECK(plan_load({2 * mib, 2}, gib, {2 * mib, 16 * mib}).slot_bytes == 2 * mib);
    CHECK(plan_load({UINT64_MAX, 2}, 10, {10, {}}).slot_bytes == 10);
}

TEST_CASE("a wish that does not fit is refused with all figures") {
    CHECK(refusal({2 * mib + 1, 2}, gib, {{}, 16 * mib}) ==
          "A slot of 2097153 bytes is too large: with 2 slots the limit is 2097152 bytes (largest "
          "allocation: not known; "
          "free memory: 16777216 bytes).");
    CHECK_FALSE(refusal({2 * mib, 2}, gib, {mib, {}}).empty());
}

TEST_CASE("a device without room is refused") {
    CHECK_FALSE(refusal({}, 1, {{}, 0}).empty());
    CHECK_FALSE(refusal({}, 1, {{}, 15}).empty());
    CHECK_FALSE(refusal({}, 1, {0, {}}).empty());
}

TEST_CASE("the number of pieces does not overflow") {
    CHECK(plan_load({2, 2}, UINT64_MAX, {}).pieces() == std::uint64_t{1} << 63U);
}
