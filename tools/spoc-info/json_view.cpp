// SPDX-License-Identifier: Apache-2.0
#include "json_view.hpp"

#include <array>
#include <cinttypes>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "limits.hpp"
#include "physical.hpp"
#include "settings.hpp"

namespace spoc::info {
namespace {

using json = nlohmann::ordered_json;

template <typename T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json(nullptr);
}

template <typename Range, typename Function>
json array_of(const Range& range, Function to_json) {
    json list = json::array();
    for (const auto& item : range) {
        list.push_back(to_json(item));
    }
    return list;
}

json text_or_null(std::string_view text) { return text.empty() ? json(nullptr) : json(text); }

json hex64(std::uint64_t mask) { return tools::formatted("0x%016" PRIx64, mask); }

json hex_id(std::uint32_t id) {
    return id == SPOC_BE_UNKNOWN_32 ? json(nullptr) : json(tools::formatted("0x%04" PRIx32, id));
}

json reason_name_or_null(std::uint32_t reason) {
    return reason == SPOC_BE_REASON_NONE ? json(nullptr) : json(spoc_reason_name(reason));
}

json library() {
    return {{"version", spoc_version()},
            {"abi", {{"major", SPOC_BE_ABI_MAJOR}, {"minor", SPOC_BE_ABI_MINOR}}}};
}

json host_json(const host_facts& host) {
    return {{"os", text_or_null(host.os)},
            {"kernel", text_or_null(host.kernel)},
            {"machine", text_or_null(host.machine)},
            {"cpu_count", or_null(host.cpu_count)},
            {"page_size", or_null(host.page_size)},
            {"memory_total_bytes", or_null(host.memory_total)},
            {"secure", host.secure}};
}

json found_json(const found_file& file) {
    return {{"file", file.name},
            {"backend", file.backend},
            {"state", spoc_state_name(file.state)},
            {"reason", reason_name_or_null(file.reason)}};
}

json place_json(const place_facts& place) {
    return {{"source", spoc_search_source_name(place.source)},
            {"path", place.path},
            {"verdict", spoc_place_verdict_name(place.verdict)},
            {"files", place.files},
            {"exists", or_null(place.exists)},
            {"why", text_or_null(place.why)},
            {"found", array_of(place.found, found_json)},
            {"passed_over", place.passed_over}};
}

json reason_json(const spoc_backend_info& entry) {
    if (entry.reason == SPOC_BE_REASON_NONE) {
        return nullptr;
    }
    return {{"code", spoc_reason_name(entry.reason)},
            {"text", entry.message},
            {"hint", text_or_null(entry.hint)},
            {"native_code", entry.native_code == 0 ? json(nullptr) : json(entry.native_code)},
            {"native_domain", text_or_null(entry.native_domain)}};
}

json plugin_json(const spoc_backend_info& entry) {
    json abi = nullptr;
    if (entry.abi_major != 0) {
        abi = {{"major", entry.abi_major}, {"minor", entry.abi_minor}};
    }
    return {{"vendor", text_or_null(entry.plugin_vendor)},
            {"version", text_or_null(entry.plugin_version)},
            {"abi", std::move(abi)}};
}

json driver_json(const spoc_backend_info& entry) {
    return {{"name", text_or_null(entry.driver_name)},
            {"version", or_null(version_text(entry.driver_version))},
            {"minimum", or_null(version_text(entry.driver_minimum))},
            {"path", text_or_null(entry.driver_path)}};
}

json skipped_json(const spoc_backend_info& entry) {
    json list = json::array();
    std::istringstream lines(entry.skipped);
    for (std::string line; std::getline(lines, line);) {
        list.push_back(line);
    }
    return list;
}

json backend_json(const backend_facts& facts) {
    const spoc_backend_info& entry = facts.info;
    return {{"name", entry.name},
            {"state", spoc_state_name(entry.state)},
            {"reason", reason_json(entry)},
            {"warning",
             entry.reason == SPOC_BE_REASON_NONE ? text_or_null(entry.message) : json(nullptr)},
            {"file", text_or_null(entry.file)},
            {"plugin", plugin_json(entry)},
            {"driver", driver_json(entry)},
            {"stage", spoc_stage_name(entry.stage)},
            {"device_count", or_null(known(entry.device_count))},
            {"skipped", skipped_json(entry)},
            {"elapsed_ms", std::round(static_cast<double>(entry.elapsed_ns) / 1e3) / 1e3}};
}

json figure_json(const std::optional<std::uint64_t>& figure) {
    return figure == SPOC_BE_NO_LIMIT ? json("unlimited") : or_null(figure);
}

json limit_json(const limit& l) {
    if (!l.is_extent) {
        return figure_json(l.figures.front());
    }
    json list = json::array();
    for (const auto& figure : l.figures) {
        list.push_back(figure_json(figure));
    }
    return list;
}

json limits_json(const spoc_be_device_info& properties) {
    json object = json::object();
    for (const limit& l : limits_of(properties)) {
        object[l.name] = limit_json(l);
    }
    object["timer_ns"] = or_null(timer_tick_of(properties));
    return object;
}

json capabilities_json(const device_facts& facts) {
    constexpr std::array<const char*, 3> states = {"no", "yes", "unknown"};
    json object = json::object();
    for (const capability_answer& given : facts.capabilities) {
        object[given.name] = {{"state", states.at(static_cast<std::size_t>(given.state))},
                              {"reason", text_or_null(given.reason)}};
    }
    return object;
}

json masks_json(const spoc_be_device_info& properties) {
    json yes = json::array();
    json known_bits = json::array();
    for (std::size_t word = 0; word < std::size(properties.caps); ++word) {
        yes.push_back(hex64(properties.caps[word]));
        known_bits.push_back(hex64(properties.caps_known[word]));
    }
    return {{"capabilities", std::move(yes)},
            {"capabilities_known", std::move(known_bits)},
            {"formats", hex64(properties.formats)}};
}

json compute_capability(const spoc_be_device_info& properties) {
    const auto major = known(properties.compute_major);
    const auto minor = known(properties.compute_minor);
    return major && minor ? json(std::to_string(*major) + "." + std::to_string(*minor))
                          : json(nullptr);
}

json device_json(const device_facts& facts) {
    const spoc_be_device_info& p = facts.properties;
    const bool numa = p.numa_node >= 0;
    return {{"id", facts.which.id()},
            {"selector", facts.selector},
            {"backend", facts.which.backend()},
            {"index", p.index},
            {"name", p.name},
            {"vendor", text_or_null(p.vendor)},
            {"arch", text_or_null(p.arch)},
            {"kind", spoc_device_kind_name(p.kind)},
            {"framework", text_or_null(p.framework)},
            {"driver", text_or_null(p.driver)},
            {"uuid", or_null(uuid_of(p))},
            {"pci", or_null(pci_of(p))},
            {"vendor_id", hex_id(p.vendor_id)},
            {"device_id", hex_id(p.device_id)},
            {"driver_id", or_null(known(p.driver_id))},
            {"compute_capability", compute_capability(p)},
            {"numa_node", numa ? json(p.numa_node) : json(nullptr)},
            {"memory_total_bytes", or_null(facts.memory_total)},
            {"memory_free_bytes", or_null(facts.memory_free)},
            {"limits", limits_json(p)},
            {"capabilities", capabilities_json(facts)},
            {"formats", formats_of(p)},
            {"masks", masks_json(p)}};
}

json card_json(const card& c, const model& m) {
    json uuid = nullptr;
    json pci = nullptr;
    json selectors = json::array();
    for (const std::size_t member : c.members) {
        const device_facts& facts = m.devices[member];
        uuid = uuid.is_null() ? or_null(uuid_of(facts.properties)) : uuid;
        pci = pci.is_null() ? or_null(pci_of(facts.properties)) : pci;
        selectors.push_back(facts.selector);
    }
    return {{"name", m.devices[c.members.front()].properties.name},
            {"uuid", std::move(uuid)},
            {"pci", std::move(pci)},
            {"devices", std::move(selectors)}};
}

json step_json(const spoc_self_test_step& step) {
    const char* outcome = step.outcome == SPOC_STEP_PASSED   ? "passed"
                          : step.outcome == SPOC_STEP_FAILED ? "failed"
                                                             : "skipped";
    return {{"name", step.name}, {"outcome", outcome}, {"message", text_or_null(step.message)}};
}

json self_test_json(const self_test_result& result) {
    json steps = json::array();
    for (const spoc_self_test_step& step : result.steps) {
        steps.push_back(step_json(step));
    }
    return {{"device", result.selector},
            {"passed", result.passed()},
            {"trouble", text_or_null(result.trouble)},
            {"steps", std::move(steps)}};
}

json requirement_json(const requirement_result& requirement) {
    return {{"expr", requirement.expression},
            {"met", requirement.met},
            {"why", text_or_null(requirement.why)}};
}

json setting_json(const setting& variable) {
    return {{"name", variable.name},
            {"value", or_null(variable.value)},
            {"default", variable.default_text},
            {"summary", variable.summary},
            {"ignored", variable.ignored},
            {"bad_value", variable.bad_value},
            {"source", variable.holds() ? "environment" : "default"},
            {"remark", text_or_null(remark_on(variable))}};
}

json error_json(const problem* worst) {
    if (worst == nullptr) {
        return nullptr;
    }
    return {{"exit_status", worst->exit_status},
            {"status", spoc_status_name(worst->status)},
            {"sub_code", spoc_sub_code_name(worst->sub_code)},
            {"reason", reason_name_or_null(worst->reason)},
            {"message", worst->message},
            {"hint", text_or_null(worst->hint)}};
}

json document(const model& m) {
    json whole = {{"schema", "spoc-info/1"}, {"spoc", library()}, {"host", host_json(m.host)}};
    whole["search"] = array_of(m.places, place_json);
    whole["backends"] = array_of(m.backends, backend_json);
    whole["devices"] = array_of(m.devices, device_json);
    whole["physical"] = array_of(m.cards, [&m](const card& c) { return card_json(c, m); });
    whole["selftest"] = m.self_tests ? array_of(*m.self_tests, self_test_json) : json(nullptr);
    whole["requirements"] = array_of(m.requirements, requirement_json);
    whole["settings"] = m.settings ? array_of(*m.settings, setting_json) : json(nullptr);
    whole["error"] = error_json(m.worst());
    whole["redacted"] = m.redacted;
    return whole;
}

}  // namespace

std::string json_of(const model& m) {
    // A driver's text that is no UTF-8 must not cost the document.
    return document(m).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace spoc::info
