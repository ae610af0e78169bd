// SPDX-License-Identifier: Apache-2.0
#include "common/text.hpp"

#include <numeric>

#include "support/catch.hpp"

using namespace spoc::tools;

TEST_CASE("sizes are printed in binary units with one decimal", "[text]") {
    CHECK(human_bytes(0) == "0 B");
    CHECK(human_bytes(1023) == "1023 B");
    CHECK(human_bytes(1024) == "1.0 KiB");
    CHECK(human_bytes(1536) == "1.5 KiB");
    CHECK(human_bytes(std::uint64_t{16} << 30) == "16.0 GiB");
    CHECK(human_bytes(UINT64_MAX) == "16.0 EiB");
}

TEST_CASE("a size that would round up to 1024 takes the next unit", "[text]") {
    CHECK(human_bytes((std::uint64_t{1} << 20) - 1) == "1.0 MiB");
    CHECK(human_bytes((std::uint64_t{1} << 40) - 1) == "1.0 TiB");
}

TEST_CASE("valid UTF-8 is printable as it is", "[text]") {
    const std::string text = "GeForce \xC2\xB5 \xE2\x84\xA2 \xF0\x9F\x92\xBB";
    CHECK(printable(text) == text);
    CHECK(columns(text) == 13);
}

TEST_CASE("control characters and invalid bytes are replaced one by one", "[text]") {
    const std::string mark = "\xEF\xBF\xBD";
    CHECK(printable("a\x1b[31mb") == "a" + mark + "[31mb");
    CHECK(printable("a\x7f\x01") == "a" + mark + mark);
    CHECK(printable("\xC2\x9B") == mark + mark);         // a C1 control character
    CHECK(printable("\xFF\xC3(") == mark + mark + "(");  // no lead byte; no continuation
    CHECK(printable("\xC0\xAF") == mark + mark);         // overlong
    CHECK(printable("\xE0\x80\x80") == mark + mark + mark);
    CHECK(printable("\xED\xA0\x80") == mark + mark + mark);  // a surrogate
    CHECK(printable("\xF4\x90\x80\x80") == mark + mark + mark + mark);
    CHECK(printable("\xE2\x84") == mark + mark);  // cut short
    CHECK(printable("\xF0") == mark);
}

TEST_CASE("line ends and tabs become spaces", "[text]") {
    CHECK(printable("a\nb\tc\r") == "a b c ");
}

TEST_CASE("padding counts characters, not bytes", "[text]") {
    CHECK(pad("ab", 4) == "ab  ");
    CHECK(pad("\xC2\xB5", 3) == "\xC2\xB5  ");
    CHECK(pad("abcdef", 4) == "abcdef");
}

TEST_CASE("text is wrapped at spaces and a long word is broken", "[text]") {
    CHECK(wrap("", 10) == std::vector<std::string>{""});
    CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
    CHECK(wrap("one two three", 8) == std::vector<std::string>{"one two", "three"});
    CHECK(wrap("abcdefgh ij", 4) == std::vector<std::string>{"abcd", "efgh", "ij"});
    CHECK(wrap("ab", 0) == std::vector<std::string>{"a", "b"});
    CHECK(wrap("\xC2\xB5\xC2\xB5\xC2\xB5", 2) ==
          std::vector<std::string>{"\xC2\xB5\xC2\xB5", "\xC2\xB5"});
}

TEST_CASE("wrapping loses no word and keeps every line within the width", "[text]") {
    const std::string text =
        "No plugin file libspoc-cuda.so was found in any of the directories that were searched.";
    for (std::size_t width = 1; width < 100; ++width) {
        const std::vector<std::string> lines = wrap(text, width);
        std::string letters;
        for (const std::string& line : lines) {
            CHECK(columns(line) <= width);
            letters += line;
        }
        std::string wanted = text;
        wanted.erase(std::remove(wanted.begin(), wanted.end(), ' '), wanted.end());
        letters.erase(std::remove(letters.begin(), letters.end(), ' '), letters.end());
        CHECK(letters == wanted);
    }
}

TEST_CASE("text that is too long is cut after a word", "[text]") {
    CHECK(cut("one two three", 13) == "one two three");
    CHECK(cut("one two three", 12) == "one two...");
    CHECK(cut("one two three", 10) == "one two...");
    CHECK(cut("one two three", 9) == "one...");
    CHECK(cut("abcdefgh", 6) == "abc...");
    CHECK(cut("abcdefgh", 2) == "..");
}
