// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <array>
#include <string>
#include <vector>

#include "nearest.hpp"
#include "support/catch.hpp"

namespace spoc::detail {

TEST_CASE("Text is cut between characters, never within one") {
    const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";  // 1, 2, 3, 4 and 1 bytes
    const std::vector<std::size_t> kept = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (std::size_t limit = 0; limit < kept.size(); ++limit) {
        CAPTURE(limit);
        CHECK(cut(text, limit).size() == kept[limit]);
    }
    CHECK(cut("", 0).empty());
    CHECK(cut("\x80\x80\x80", 2).empty());  // nothing begins here
}

TEST_CASE("A field gets text and its NUL and no byte more") {
    std::array<char, 8> field{};
    field.fill('#');
    copy_text(field.data(), 0, "abc");
    CHECK(field[0] == '#');
    copy_text(field.data(), 4, "abcdef");
    CHECK(std::string(field.data(), 5) == std::string("abc\0#", 5));
    copy_text(field.data(), 1, "abc");
    CHECK(field[0] == '\0');
    char whole[4];
    copy_text(whole, "xyz");
    CHECK(std::string(whole) == "xyz");
    copy_text(whole, "xyzw");
    CHECK(std::string(whole) == "xyz");
}

TEST_CASE("A field's text ends at its NUL or at its end") {
    const char ended[4] = {'a', 'b', '\0', 'x'};
    const char open[4] = {'a', 'b', 'c', 'd'};
    CHECK(field_text(ended) == "ab");
    CHECK(field_text(open) == "abcd");
}

TEST_CASE("A sentence is put together from texts, characters and numbers") {
    CHECK(say("a ", std::string("b"), ' ', 42U, ' ', -7, ' ', UINT64_MAX) ==
          "a b 42 -7 18446744073709551615");
    CHECK(say().empty());
}

TEST_CASE("The distance of two words counts insertions, deletions and replacements") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("cuda", "cuda") == 0);
    CHECK(edit_distance("", "cuda") == 4);
    CHECK(edit_distance("cuda", "") == 4);
    CHECK(edit_distance("cuda", "cda") == 1);
    CHECK(edit_distance("cuda", "cudda") == 1);
    CHECK(edit_distance("cuda", "kuda") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("ab", "ba") == 2);
}

TEST_CASE("The nearest name is the closest one, the first of several") {
    const std::vector<std::string> names = {"cuda", "hip", "ocl", "vk", "metal", "native"};
    CHECK(nearest("cdua", names) == "cuda");
    CHECK(nearest("hop", names) == "hip");
    CHECK(nearest("nativ", names) == "native");
    CHECK(nearest("vk", names) == "vk");
    CHECK(nearest("", names) == "vk");
    CHECK(nearest("xyz", std::vector<std::string>{"abc", "def"}) == "abc");
    CHECK(nearest("xyz", std::vector<std::string>{}).empty());
}

}  // namespace spoc::detail
