// SPDX-License-Identifier: Apache-2.0
#include "census.hpp"

#include <cstring>

#include <nlohmann/json.hpp>

#include "backend.hpp"
#include "check.hpp"
#include "plugin.hpp"
#include "runner.hpp"

namespace spoc::conformance {
namespace {

using nlohmann::json;

/// A text of the plugin's, which may be null or no UTF-8: the report must stay a document.
std::string text_or_empty(const char* words) { return words == nullptr ? "" : words; }

void describe_table(json& found, const spoc_be_table& table) {
    found["name"] = text_or_empty(table.name);
    found["vendor"] = text_or_empty(table.vendor);
    found["version"] = text_or_empty(table.version);
    found["build_id"] = text_or_empty(table.build_id);
    found["major"] = table.header.major;
    found["minor"] = table.header.minor;
    found["flavour"] = table.header.flavour;
}

void describe_device(json& found, const subject& subject) {
    backend opened(subject);
    const std::uint32_t count = opened.device_count();
    found["device_count"] = count;
    if (subject.device_index < count) {
        const spoc_be_device_info info = opened.device_info(subject.device_index);
        found["device_name"] = std::string(info.name, strnlen(info.name, sizeof info.name));
        found["device_driver"] = std::string(info.driver, strnlen(info.driver, sizeof info.driver));
    } else {
        found["no_device"] = text("There is no device ", subject.device_index, "; the backend has ",
                                  count, count == 1 ? " device." : " devices.");
    }
    opened.close();
}

/// A question to a plugin, asked in a process of its own: the answer travels as the reason of a
/// skip.
[[noreturn]] void answer(const json& found) {
    skip(found.dump(-1, ' ', false, json::error_handler_t::replace));
}

void ask_for_table(const subject& subject) {
    json found;
    try {
        describe_table(found, read_table(load_plugin(subject.plugin_path)));
    } catch (const failure& reason) {
        found["not_loadable"] = reason.what();
    }
    answer(found);
}

void ask_for_device(const subject& subject) {
    json found;
    try {
        describe_device(found, subject);
    } catch (const skipped& reason) {
        found["no_device"] = reason.what();
    }
    answer(found);
}

void read_table_answer(census& found, const json& document) {
    found.not_loadable = document.value("not_loadable", "");
    found.name = document.value("name", "");
    found.vendor = document.value("vendor", "");
    found.version = document.value("version", "");
    found.build_id = document.value("build_id", "");
    found.major = document.value("major", 0U);
    found.minor = document.value("minor", 0U);
    found.flavour = document.value("flavour", 0U);
}

void read_device_answer(census& found, const json& document) {
    found.no_device = document.value("no_device", "");
    found.device_count = document.value("device_count", 0U);
    found.device_name = document.value("device_name", "");
    found.device_driver = document.value("device_driver", "");
}

}  // namespace

census take_census(const std::string& plugin_path, std::uint32_t index,
                   std::chrono::milliseconds timeout) {
    const subject subject{plugin_path, index, {}};
    census found;
    const result table =
        run_isolated({.name = "census/table", .run = ask_for_table}, subject, timeout);
    // A process that answered and ended badly has answered. The cases fail in the same way.
    if (table.skip_reason.empty()) {
        found.not_loadable = table.message;
        return found;
    }
    read_table_answer(found, json::parse(table.skip_reason));
    if (!found.not_loadable.empty()) {
        return found;
    }
    const result device =
        run_isolated({.name = "census/device", .run = ask_for_device}, subject, timeout);
    found.device_stuck = device.stuck && device.skip_reason.empty();
    if (device.skip_reason.empty()) {
        found.device_unknown = device.message;
    } else {
        read_device_answer(found, json::parse(device.skip_reason));
    }
    return found;
}

}  // namespace spoc::conformance
