// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "common/entry.hpp"
#include "support/catch.hpp"

namespace spoc::plugin {
namespace {

int32_t exhaust(int /*unused*/, spoc_be_error* /*error*/) { throw std::bad_alloc(); }
int32_t surprise(spoc_be_error* /*error*/) { throw std::runtime_error("surprise"); }
int32_t throw_number(spoc_be_error* /*error*/) { throw 5; }
int32_t add(int a, int b, spoc_be_error* /*error*/) { return a + b; }

std::string cut(std::string_view text, std::size_t capacity) {
    std::array<char, 64> out{};
    out.fill('#');
    copy_text(out.data(), capacity, text);
    CHECK(out[capacity] == '#');
    return out.data();
}

}  // namespace

TEST_CASE("An entry passes arguments and status through") {
    static_assert(noexcept(entry<add>(1, 2, nullptr)));
    CHECK(entry<add>(1, 2, nullptr) == 3);
}

TEST_CASE("An entry turns what is thrown into a status") {
    spoc_be_error error{};
    error.size = sizeof error;
    CHECK(entry<exhaust>(1, &error) == SPOC_BE_HOST_MEMORY);
    CHECK(error.status == SPOC_BE_HOST_MEMORY);
    CHECK(entry<surprise>(&error) == SPOC_BE_INTERNAL);
    CHECK(error.status == SPOC_BE_INTERNAL);
    CHECK(std::strlen(error.message) > 0);
    CHECK(entry<throw_number>(nullptr) == SPOC_BE_INTERNAL);
}

TEST_CASE("Text is cut between characters") {
    CHECK(cut("plain", 16) == "plain");
    CHECK(cut("plain", 6) == "plain");
    CHECK(cut("plain", 5) == "plai");
    CHECK(cut("plain", 1).empty());
    CHECK(cut("a\u00e9", 3) == "a");       // 2 bytes
    CHECK(cut("a\u20ac", 4) == "a");       // 3 bytes
    CHECK(cut("\U0001F600b", 4).empty());  // 4 bytes
    CHECK(cut("\U0001F600b", 5) == "\U0001F600");
    CHECK(cut("\x80\x80\x80\x80", 3).empty());  // no character begins
}

TEST_CASE("A failure clears what does not apply and cuts a long sentence") {
    spoc_be_error error;
    std::memset(&error, 0x77, sizeof error);
    error.size = sizeof error;
    const std::string name(1000, 'n');
    CHECK(fail(&error, {.status = SPOC_BE_DRIVER, .native_code = -3, .native_domain = "errno"},
               "The thing is named (\"%s\").", name.c_str()) == SPOC_BE_DRIVER);
    CHECK(error.size == sizeof error);
    CHECK(error.reason == 0);
    CHECK(error.native_code == -3);
    CHECK(error.asked == 0);
    CHECK(error.tag == 0);
    CHECK(std::string(error.native_domain) == "errno");
    CHECK(std::string(error.origin).empty());
    CHECK(std::strlen(error.message) == sizeof error.message - 1);
}

}  // namespace spoc::plugin
