// SPDX-License-Identifier: Apache-2.0
#include "spoc-info/limits.hpp"

#include <cstring>
#include <limits>

#include "support/catch.hpp"

using namespace spoc::info;

namespace {

const limit& named(const std::vector<limit>& list, const char* name) {
    for (const limit& l : list) {
        if (std::strcmp(l.name, name) == 0) {
            return l;
        }
    }
    throw std::runtime_error(name);
}

}  // namespace

TEST_CASE("an all-ones limit is not known", "[limits]") {
    spoc_be_device_info info{};
    info.max_alloc = SPOC_BE_UNKNOWN_64;
    info.subgroup = SPOC_BE_UNKNOWN_32;
    info.max_grid[1] = SPOC_BE_UNKNOWN_32;
    const std::vector<limit> list = limits_of(info);
    CHECK_FALSE(named(list, "max_alloc_bytes").figures.at(0));
    CHECK_FALSE(named(list, "subgroup").figures.at(0));
    CHECK(named(list, "max_grid").figures ==
          std::vector<std::optional<std::uint64_t>>{0, std::nullopt, 0});
    CHECK(named(list, "inline_write_bytes").figures.at(0) == 0U);
}

TEST_CASE("a timer's tick is a positive number or not known", "[limits]") {
    spoc_be_device_info info{};
    CHECK_FALSE(timer_tick_of(info));
    info.timer_ns = 40.5;
    CHECK(timer_tick_of(info) == 40.5);
    info.timer_ns = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(timer_tick_of(info));
}

TEST_CASE("formats have names, and a number when they are newer than this program", "[limits]") {
    spoc_be_device_info info{};
    info.formats = (std::uint64_t{1} << SPOC_BE_FORMAT_PTX) | (std::uint64_t{1} << 63) | 1;
    CHECK(formats_of(info) == std::vector<std::string>{"native_symbol", "ptx", "bit_63"});
}

TEST_CASE("a version has as many parts as are known", "[limits]") {
    CHECK(version_text({580, 159, 4, SPOC_BE_UNKNOWN_32}) == "580.159.4");
    CHECK(version_text({12, 0, SPOC_BE_UNKNOWN_32, SPOC_BE_UNKNOWN_32}) == "12.0");
    CHECK_FALSE(version_text({SPOC_BE_UNKNOWN_32, 1, 1, 1}));
    CHECK_FALSE(version_text({0, 0, 0, 0}));
}

TEST_CASE("a limit that does not exist is told from one that is not known", "[limits]") {
    spoc_be_device_info info{};
    info.pageable_max = SPOC_BE_NO_LIMIT;
    CHECK(named(limits_of(info), "pageable_max_bytes").figures.at(0) == SPOC_BE_NO_LIMIT);
}
