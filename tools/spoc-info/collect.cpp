// SPDX-License-Identifier: Apache-2.0
#include "collect.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "file_owner.hpp"
#include "host.hpp"
#include "judge.hpp"
#include "physical.hpp"
#include "places.hpp"
#include "requirement.hpp"
#include "self_test.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace spoc::info {
namespace {

runtime_options how_to_start(const options& wanted) {
    runtime_options how;
    how.isolate_probes = !wanted.no_isolate;
    how.never_isolate = wanted.no_isolate;
    how.prove_devices = true;  // this program asks every device for its free memory
    how.probe_timeout = wanted.timeout;
    return how;
}

/// `--backend` takes what would be a selector of devices, but for a position, a list or "*".
void require_name(const std::string& backend) {
    if (backend.find_first_of(":,*") != std::string::npos) {
        throw mistake("--backend takes one name, such as cuda; --device takes " + backend);
    }
}

/// `select_devices`, with the option that named them in front of what is wrong with the name.
std::vector<device> selected(const char* option, const std::string& selectors) {
    try {
        return select_devices(selectors);
    } catch (const error& failure) {
        if (failure.record().status != SPOC_INVALID_ARGUMENT) {
            throw;
        }
        spoc_error record = failure.record();
        detail::copy_text(record.message,
                          std::string(option) + " " + selectors + ": " + failure.record().message);
        throw error(record);
    }
}

/// Devices that the command line leaves; enumerates no more backends than it must.
std::vector<device> wanted_devices(const options& wanted) {
    if (wanted.device.empty()) {
        return wanted.backend.empty() ? devices() : selected("--backend", wanted.backend);
    }
    std::vector<device> list = selected("--device", wanted.device);
    if (!wanted.backend.empty()) {
        const std::vector<device> allowed = selected("--backend", wanted.backend);
        const auto is_other = [&allowed](const device& candidate) {
            return std::find(allowed.begin(), allowed.end(), candidate) == allowed.end();
        };
        list.erase(std::remove_if(list.begin(), list.end(), is_other), list.end());
    }
    return list;
}

/// Whether a backend is named by `selectors`; every one is by an empty list.
bool is_selected(std::string_view backend, std::string_view selectors) {
    bool found = selectors.empty();
    while (!selectors.empty() && !found) {
        const std::size_t comma = selectors.find(',');
        const std::string_view selector = selectors.substr(0, comma);
        const std::string_view name = selector.substr(0, selector.find(':'));
        found = name == "*" || name == backend;
        selectors.remove_prefix(comma == std::string_view::npos ? selectors.size() : comma + 1);
    }
    return found;
}

bool is_about_permissions(std::uint32_t reason) {
    return reason == SPOC_BE_REASON_FILE_UNREADABLE || reason == SPOC_BE_REASON_UNSAFE_PERMISSIONS;
}

backend_facts facts_about(const spoc_backend_info& entry) {
    backend_facts facts{entry, {}, {}};
    const std::string file = entry.file;
    if (is_about_permissions(entry.reason) && !file.empty()) {
        facts.file = owner_of(file);
        facts.folder = owner_of(file.substr(0, file.rfind('/')));
    }
    return facts;
}

std::vector<backend_facts> wanted_backends(const options& wanted,
                                           const std::vector<spoc_backend_info>& entries) {
    std::vector<backend_facts> list;
    for (const spoc_backend_info& entry : entries) {
        if (is_selected(entry.name, wanted.backend) && is_selected(entry.name, wanted.device)) {
            list.push_back(facts_about(entry));
        }
    }
    return list;
}

void list_backends(const options& wanted, model& m) {
    const std::vector<spoc_backend_info> entries = backends();
    m.backends = wanted_backends(wanted, entries);
    m.places = describe_places(search_places(), entries);
}

std::vector<capability_answer> ask_capabilities(const device& which) {
    std::vector<capability_answer> list;
    std::uint32_t bit = 0;
    for (std::uint32_t i = 0; const char* name = spoc_capability_at(i, &bit); ++i) {
        list.push_back(ask_capability(which, bit, name));
    }
    return list;
}

device_facts ask_device(const device& which) {
    device_facts facts(which);
    facts.memory_total = which.memory_total();
    try {
        facts.memory_free = which.memory_free();
    } catch (const error& failure) {
        facts.memory_trouble = failure.what();
    }
    facts.capabilities = ask_capabilities(which);
    return facts;
}

/// Runs `step`; a failure becomes a problem, and what comes after goes on with what there is.
template <typename Step>
void attempt(model& m, Step step) {
    try {
        step();
    } catch (const mistake& wrong) {
        m.problems.push_back(problem_of(wrong));
    } catch (const error& failure) {
        m.problems.push_back(problem_of(failure.record(), hint_for(failure.record())));
    }
}

void judge_requirements(const options& wanted, model& m) {
    for (const std::string& expression : wanted.requirements) {
        m.requirements.push_back(judge_requirement(expression));
    }
}

void find_devices(const options& wanted, model& m) {
    require_name(wanted.backend);
    for (const device& which : wanted_devices(wanted)) {
        m.devices.push_back(ask_device(which));
    }
    std::vector<const spoc_be_device_info*> properties;
    for (const device_facts& facts : m.devices) {
        properties.push_back(&facts.properties);
    }
    m.cards = group_by_card(properties);
}

void ask_library(const options& wanted, model& m, std::optional<runtime>& running) {
    attempt(m, [&] { running.emplace(how_to_start(wanted)); });
    if (!running) {
        return;
    }
    attempt(m, [&] { judge_requirements(wanted, m); });
    if (wanted.needs_devices() && !m.is_wrong_use()) {
        attempt(m, [&] { find_devices(wanted, m); });
    }
    if (m.is_wrong_use()) {
        return;
    }
    // After the devices: enumerating them is what fills in the entries.
    attempt(m, [&] { list_backends(wanted, m); });
    if (wanted.self_test) {
        m.self_tests = test_devices(m.devices);
    }
}

}  // namespace

capability_answer ask_capability(const device& which, std::uint32_t bit, const std::string& name) {
    std::uint32_t state = SPOC_CAPABILITY_UNKNOWN;
    std::array<char, 512> reason{};
    detail::call(spoc_device_capability, which.get(), bit, &state, reason.data(),
                 std::uint64_t{reason.size()});
    return {name, static_cast<answer>(state), state == SPOC_CAPABILITY_YES ? "" : reason.data()};
}

std::string hint_for(const spoc_error& record) {
    try {
        for (const spoc_backend_info& entry : backends()) {
            const bool concerned =
                std::string_view(entry.name) == record.backend && entry.reason == record.reason;
            if (concerned && *entry.hint != '\0') {
                return entry.hint;
            }
        }
    } catch (const error&) {
        // What is wrong was reported by the call that failed first.
    }
    return spoc_reason_hint(record.reason);
}

model collect(const options& wanted, std::optional<runtime>& running) {
    model m;
    m.host = host();
    std::vector<setting> settings = every_setting();
    if (wanted.settings_only()) {
        // Else the same failure becomes a problem, and the whole run stops at it.
        check_filters(settings);
    }
    if (wanted.settings) {
        m.settings = settings;
    }
    if (!wanted.settings_only()) {
        ask_library(wanted, m, running);
        judge(wanted, m);
        m.notes = notes_on(m, settings);
    }
    return m;
}

}  // namespace spoc::info
