// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <spoc/backends.h>

#include "env.hpp"
#include "support/answer.hpp"
#include "support/environment.hpp"

namespace spoc::detail {
namespace {

using test::environment;
using test::sized;
using strings = std::vector<std::string>;

spoc_setting setting(const std::string& name) {
    auto found = sized<spoc_setting>();
    for (std::uint32_t index = 0; spoc_setting_get(index, &found) == 1; ++index) {
        if (name == found.name) {
            return found;
        }
    }
    FAIL("no such setting: " + name);
    return found;
}

}  // namespace

TEST_CASE("A list is split at every separator, and empty elements are kept") {
    CHECK(split("", ',') == strings{""});
    CHECK(split("a", ',') == strings{"a"});
    CHECK(split("a,b", ',') == strings{"a", "b"});
    CHECK(split(",a,,b,", ',') == strings{"", "a", "", "b", ""});
    CHECK(split("a:b,c", ':') == strings{"a", "b,c"});
}

TEST_CASE("Settings are read once, from variables of our own that are not empty") {
    environment variables;
    variables.set("SPOC_BACKENDS", "cuda=x");
    variables.set("SPOC_DEVICES", "");
    variables.set("SPOC_DISABLE_ACME", "1");
    const settings config = settings::read();
    variables.set("SPOC_BACKENDS", "hip");
    variables.set("SPOC_LOG", "info");
    CHECK(std::string(config.get("SPOC_BACKENDS")) == "cuda=x");
    CHECK(config.get("SPOC_DEVICES") == nullptr);
    CHECK(config.get("SPOC_LOG") == nullptr);
    CHECK(config.get("PATH") == nullptr);
    CHECK(config.get("SPOC_BACKEND") == nullptr);
    CHECK(config.is_on("SPOC_DISABLE_ACME"));
    CHECK_FALSE(config.is_on("SPOC_BACKENDS"));
    CHECK_FALSE(config.is_on("SPOC_NOT_SET"));
}

TEST_CASE("An entry of the environment without a value is passed over") {
    std::string broken = "SPOC_PROBE";
    std::string whole = "SPOC_LOG=info";
    std::array<char*, 3> entries = {broken.data(), whole.data(), nullptr};
    char** const before = environ;
    environ = entries.data();
    const settings config = settings::read();
    environ = before;
    CHECK(config.get("SPOC_PROBE") == nullptr);
    CHECK(std::string(config.get("SPOC_LOG")) == "info");
}

TEST_CASE("Compiled programs are kept where the user's caches are", "[R-907]") {
    environment variables;
    const auto place = [&](const char* caches, const char* home) {
        const auto set = [](const char* name, const char* value) {
            value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
        };
        set("XDG_CACHE_HOME", caches);
        set("HOME", home);
        return settings::read().cache_directory();
    };
    const char* const caches_before = std::getenv("XDG_CACHE_HOME");
    const char* const home_before = std::getenv("HOME");
    const std::string caches = caches_before == nullptr ? "" : caches_before;
    const std::string home = home_before == nullptr ? "" : home_before;
    CHECK(place("/caches", "/me") == "/caches/spoc");
    CHECK(place(nullptr, "/me") == "/me/.cache/spoc");
    CHECK(place("", "/me") == "/me/.cache/spoc");
    CHECK(place("caches", "/me") == "/me/.cache/spoc");
    CHECK(place(nullptr, "me") == "");
    CHECK(place(nullptr, nullptr) == "");
    place(caches_before == nullptr ? nullptr : caches.c_str(),
          home_before == nullptr ? nullptr : home.c_str());
}

TEST_CASE("A switch is on at exactly 1", "[R-103]") {
    environment variables;
    variables.set("SPOC_DISABLE_GPU", GENERATE("0", "2", "01", "1 ", "on", "true", "yes"));
    CHECK_FALSE(settings::read().is_on("SPOC_DISABLE_GPU"));
}

TEST_CASE("A plugin may ask for settings of its own and no others") {
    environment variables;
    variables.set("SPOC_NATIVE_THREADS", "3");
    variables.set("SPOC_BACKENDS", "cuda");
    const settings config = settings::read();
    CHECK(std::string(config.config("native.threads")) == "3");
    CHECK(config.config("SPOC_NATIVE_THREADS") == nullptr);
    CHECK(config.config("SPOC_BACKENDS") == nullptr);
    CHECK(config.config("native.other") == nullptr);
    CHECK(config.config("") == nullptr);
}

TEST_CASE("A value that a setting does not take is told, and the default holds") {
    environment variables;
    const std::string value =
        GENERATE("0", "-1", "+1", "4097", "4294967297", "1.5", "four", " 4", "4 ", "0x4");
    variables.set("SPOC_NATIVE_THREADS", value);
    variables.set("SPOC_DISABLE_GPU", "yes");
    variables.set("SPOC_PROBE", "isolate");
    variables.set("SPOC_LOG", "loud");
    variables.set("SPOC_BACKENDS", "anything");
    const settings config = settings::read();
    CHECK(config.config("native.threads") == nullptr);
    strings bad;
    for (const settings::bad_value& one : config.bad_values()) {
        bad.push_back(std::string(one.name) + "=" + one.value + ": " + one.default_text);
    }
    std::sort(bad.begin(), bad.end());
    CHECK(bad == strings{"SPOC_DISABLE_GPU=yes: 0", "SPOC_LOG=loud: warn",
                         "SPOC_NATIVE_THREADS=" + value + ": CPUs of the process",
                         "SPOC_PROBE=isolate: in this process"});
    CHECK((setting("SPOC_NATIVE_THREADS").flags & SPOC_SETTING_BAD_VALUE) != 0);
    CHECK(setting("SPOC_BACKENDS").flags == 0);
}

TEST_CASE("Values at the edges are taken") {
    environment variables;
    const std::string value = GENERATE("1", "4096", "0004");
    variables.set("SPOC_NATIVE_THREADS", value);
    variables.set("SPOC_DISABLE_GPU", "0");
    variables.set("SPOC_PROBE", "isolated");
    const settings config = settings::read();
    CHECK(std::string(config.config("native.threads")) == value);
    CHECK(config.bad_values().empty());
    CHECK(setting("SPOC_NATIVE_THREADS").flags == 0);
}

TEST_CASE("Every setting is listed with its value, its default and what it is for") {
    environment variables;
    variables.set("SPOC_DEVICES", "cuda:0");
    variables.set("SPOC_DISABLE_GPU", "");
    strings names;
    auto found = sized<spoc_setting>();
    for (std::uint32_t index = 0; spoc_setting_get(index, &found) == 1; ++index) {
        names.emplace_back(found.name);
        const bool is_systems = names.back() == "XDG_CACHE_HOME" || names.back() == "HOME";
        CHECK((is_systems || names.back().substr(0, 5) == "SPOC_"));
        CHECK(std::string(found.default_text) != "");
        CHECK(std::string(found.summary).size() > 10);
        CHECK(found.size == sizeof found);
        CHECK(found.flags == 0);
    }
    CHECK(names.size() == 25);
    CHECK(names.front() == "SPOC_PLUGIN_PATH");
    CHECK(std::string(setting("SPOC_DEVICES").value) == "cuda:0");
    CHECK(setting("SPOC_LOG").value == nullptr);
    CHECK(setting("SPOC_DISABLE_GPU").flags == 0);
    CHECK(spoc_setting_get(25, &found) == 0);
    CHECK(spoc_setting_get(SPOC_BE_UNKNOWN_32, &found) == 0);
    CHECK(spoc_setting_get(0, nullptr) == 0);
}

TEST_CASE("An ordinary process ignores nothing") {
    environment variables;
    variables.set("SPOC_PLUGIN_PATH", "/x");
    CHECK_FALSE(process_is_secure());
    CHECK_FALSE(ignored_as_secure("SPOC_PLUGIN_PATH"));
    CHECK(setting("SPOC_PLUGIN_PATH").flags == 0);
}

}  // namespace spoc::detail
