// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "nearest.hpp"

namespace spoc::info {
namespace {

struct tool_variable {
    const char* name;
    const char* default_text;
    const char* summary;
};

/// What the programs read by themselves.
constexpr std::array<tool_variable, 5> tool_variables = {{
    {"NO_COLOR", "not set",
     "anything but nothing: the programs print without colours, unless --color always is given"},
    {"TERM", "not set", "dumb: as NO_COLOR"},
    {"USER", "the account's", "user name, which --redact hides"},
    {"LOGNAME", "the account's", "the same as USER"},
    {"SUDO_USER", "not set", "user who called sudo, whom --redact hides too"},
}};

constexpr std::string_view prefix = "SPOC_";
constexpr std::string_view disable_prefix = "SPOC_DISABLE_";

std::optional<std::string> value_of(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string trouble_with(const setting& variable) {
    if (variable.ignored) {
        return "ignored: this process is privileged, and its environment may not name files";
    }
    if (variable.bad_value) {
        return "bad value: it does not take " + variable.value.value_or("");
    }
    return {};
}

std::vector<setting> library_settings() {
    std::vector<setting> list;
    spoc_setting found{};
    found.size = sizeof found;
    for (std::uint32_t i = 0; spoc_setting_get(i, &found) != 0; ++i) {
        setting& variable = list.emplace_back();
        variable.name = found.name;
        variable.value =
            found.value == nullptr ? std::nullopt : std::optional<std::string>(found.value);
        variable.default_text = found.default_text;
        variable.summary = found.summary;
        variable.ignored = (found.flags & SPOC_SETTING_IGNORED_SECURE) != 0;
        variable.bad_value = (found.flags & SPOC_SETTING_BAD_VALUE) != 0;
        variable.trouble = trouble_with(variable);
    }
    return list;
}

void append_tool_settings(std::vector<setting>& list) {
    for (const tool_variable& row : tool_variables) {
        setting& variable = list.emplace_back();
        variable.name = row.name;
        variable.value = value_of(row.name);
        variable.default_text = row.default_text;
        variable.summary = row.summary;
    }
}

setting named(const std::string& name, const std::string& value, const std::string& summary) {
    setting variable;
    variable.name = name;
    variable.value = value;
    variable.summary = summary;
    return variable;
}

/// SPOC_DISABLE_NAME works for every plugin; the library lists the names it knows.
setting other_switch(const std::string& name, const std::string& value) {
    std::string backend = name.substr(disable_prefix.size());
    std::transform(backend.begin(), backend.end(), backend.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    setting variable =
        named(name, value, "1 leaves out the " + backend + " backend, where there is one");
    variable.default_text = "0";
    variable.bad_value = !value.empty() && value != "0" && value != "1";
    variable.trouble = trouble_with(variable);
    return variable;
}

setting stray(const std::string& name, const std::string& value,
              const std::vector<std::string>& names) {
    setting variable = named(name, value, "nothing that SPOC reads");
    variable.is_read = false;
    variable.trouble = "not read; did you mean " + detail::nearest(name, names) + "?";
    return variable;
}

/// Variables that are set, begin with SPOC_ and are not in the list, by name.
void append_others(std::vector<setting>& list) {
    std::vector<std::string> names;
    names.reserve(list.size());
    for (const setting& variable : list) {
        names.push_back(variable.name);
    }
    std::vector<setting> others;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string name(text.substr(0, text.find('=')));
        const bool listed = std::find(names.begin(), names.end(), name) != names.end();
        if (listed || name.compare(0, prefix.size(), prefix) != 0 || name.size() == text.size()) {
            continue;
        }
        const std::string value(text.substr(name.size() + 1));
        const bool is_switch = name.compare(0, disable_prefix.size(), disable_prefix) == 0;
        others.push_back(is_switch ? other_switch(name, value) : stray(name, value, names));
    }
    std::sort(others.begin(), others.end(),
              [](const setting& a, const setting& b) { return a.name < b.name; });
    list.insert(list.end(), others.begin(), others.end());
}

}  // namespace

std::vector<setting> every_setting() {
    std::vector<setting> list = library_settings();
    append_tool_settings(list);
    append_others(list);
    return list;
}

void check_filters(std::vector<setting>& list) {
    try {
        const runtime running;
        static_cast<void>(search_places());
    } catch (const error& failure) {
        const std::string_view message = failure.what();
        for (setting& variable : list) {
            if (failure.record().sub_code == SPOC_SUB_NAME &&
                message.substr(0, variable.name.size() + 1) == variable.name + " ") {
                variable.trouble = "error: " + std::string(message);
            }
        }
    }
}

std::string remark_on(const setting& variable) {
    if (!variable.trouble.empty()) {
        return variable.trouble;
    }
    const bool empty = variable.value && variable.value->empty();
    return empty ? "set to nothing, which counts as not set" : "";
}

}  // namespace spoc::info
