// SPDX-License-Identifier: Apache-2.0
#include "byte_count.hpp"

#include "support/catch.hpp"

using spoc::bench::parse_byte_count;

TEST_CASE("a number of bytes is digits and at most one unit") {
    CHECK(parse_byte_count("1") == 1U);
    CHECK(parse_byte_count("65536") == 65536U);
    CHECK(parse_byte_count("512K") == 512U * 1024U);
    CHECK(parse_byte_count("3k") == 3072U);
    CHECK(parse_byte_count("16M") == 16U << 20U);
    CHECK(parse_byte_count("5m") == 5U << 20U);
    CHECK(parse_byte_count("1g") == 1U << 30U);
    CHECK(parse_byte_count("007") == 7U);
}

TEST_CASE("what is no number of bytes is refused") {
    for (const char* text : {"", "0", "0K", "K", "-1", "+1", " 1", "1 ", "1T", "1KB", "1MiB",
                             "1.5M", "0x10", "1,000"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_byte_count(text));
    }
}

TEST_CASE("the largest number of bytes is what 64 bits hold") {
    CHECK(parse_byte_count("18446744073709551615") == UINT64_MAX);
    CHECK_FALSE(parse_byte_count("18446744073709551616"));
    CHECK(parse_byte_count("17179869183G") == std::uint64_t{17179869183} << 30U);
    CHECK_FALSE(parse_byte_count("17179869184G"));
    CHECK_FALSE(parse_byte_count("18446744073709551615K"));
}
