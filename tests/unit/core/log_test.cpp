// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include <string>

#include "support/captured_stderr.hpp"
#include "support/catch.hpp"

namespace spoc::detail {
namespace {

/// Which of the five levels are written for a topic, as a word of their first letters.
std::string levels(const char* specification, std::string_view topic) {
    test::captured_stderr captured;
    configure_log(specification);
    constexpr std::string_view letters = "ewidt";
    for (std::uint32_t level = 0; level < letters.size(); ++level) {
        write_log(level, topic, letters.substr(level, 1));
    }
    configure_log(nullptr);
    const std::string text = captured.text();
    std::string written;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', end + 1)) {
        written.push_back(text[end - 1]);
    }
    return written;
}

}  // namespace

TEST_CASE("A level writes itself and what is graver") {
    CHECK(levels(nullptr, "core") == "ew");
    CHECK(levels("off", "core").empty());
    CHECK(levels("error", "core") == "e");
    CHECK(levels("warn", "core") == "ew");
    CHECK(levels("info", "core") == "ewi");
    CHECK(levels("debug", "core") == "ewid");
    CHECK(levels("trace", "core") == "ewidt");
}

TEST_CASE("A topic may have a level of its own") {
    CHECK(levels("info,cuda=trace", "cuda") == "ewidt");
    CHECK(levels("info,cuda=trace", "hip") == "ewi");
    CHECK(levels("cuda=off", "cuda").empty());
    CHECK(levels("cuda=off", "hip") == "ew");
    CHECK(levels("cuda=debug,hip=error,off", "cuda") == "ewid");
    CHECK(levels("cuda=debug,hip=error,off", "hip") == "e");
    CHECK(levels("cuda=debug,hip=error,off", "core").empty());
    CHECK(levels("cuda=info", "cud") == "ew");
}

TEST_CASE("A malformed specification leaves the default") {
    const char* text = GENERATE("", "loud", "INFO", "info,", ",info", "cuda=", "=info", "cuda=loud",
                                "cuda==info", "info;debug", "1");
    CAPTURE(text);
    CHECK_FALSE(is_log_specification(text));
    CHECK(levels(text, "core") == "ew");
    CHECK(levels(text, "cuda") == "ew");
}

TEST_CASE("Every well-formed specification is one") {
    const char* text = GENERATE("off", "error", "warn", "info", "debug", "trace", "cuda=off",
                                "info,cuda=trace", "info,debug");
    CHECK(is_log_specification(text));
}

TEST_CASE("A line says level, topic and text, and braces in it are text") {
    test::captured_stderr captured;
    write_log(SPOC_BE_LOG_WARN, "cuda", "100 % {} {0} %s\xFF");
    const std::string text = captured.text();
    CHECK(text == "spoc: warning: cuda: 100 % {} {0} %s\xFF\n");
}

TEST_CASE("A line stays one line, and does not steer the terminal") {
    test::captured_stderr captured;
    write_log(SPOC_BE_LOG_WARN, "cuda", "one\ntwo\r\x1B[31mred\x7F\t\xC3\xA4");
    CHECK(captured.text() == "spoc: warning: cuda: one two  [31mred  \xC3\xA4\n");
}

TEST_CASE("A level beyond the last is the last") {
    test::captured_stderr captured;
    configure_log("trace");
    write_log(99, "core", "hidden");
    write_log(SPOC_BE_LOG_TRACE, "core", "shown");
    configure_log(nullptr);
    CHECK(captured.text() == "spoc: trace: core: shown\n");
}

}  // namespace spoc::detail
