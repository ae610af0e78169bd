// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "codes.hpp"
#include "known_backends.hpp"
#include "log.hpp"
#include "probe_helper.hpp"
#include "process_state.hpp"
#include "selector.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

spoc_backend_info plain_entry(std::string_view name, std::string_view file, std::uint32_t reason,
                              std::string_view message) {
    spoc_backend_info info{};
    info.size = sizeof info;
    info.state = state_of_reason(reason);
    info.reason = reason;
    info.device_count = SPOC_BE_UNKNOWN_32;
    std::fill(std::begin(info.driver_version), std::end(info.driver_version), SPOC_BE_UNKNOWN_32);
    std::fill(std::begin(info.driver_minimum), std::end(info.driver_minimum), SPOC_BE_UNKNOWN_32);
    copy_text(info.name, name);
    copy_text(info.file, file);
    copy_text(info.message, message);
    copy_text(info.hint, spoc_reason_hint(reason));
    return info;
}

spoc_backend_info missing_entry(std::string_view name) {
#ifndef __APPLE__
    if (name == "metal") {
        return plain_entry(name, "", SPOC_BE_REASON_PLATFORM_UNSUPPORTED,
                           "Metal exists on Apple systems only.");
    }
#endif
    if (ignored_as_secure("SPOC_PLUGIN_PATH") || ignored_as_secure("SPOC_PLUGIN_FILES")) {
        return plain_entry(name, "", SPOC_BE_REASON_IGNORED_SECURE,
                           say("No plugin file libspoc-", name,
                               ".so was found, and this privileged program ignores the "
                               "environment's plugin places."));
    }
    spoc_backend_info info = plain_entry(name, "", SPOC_BE_REASON_NOT_INSTALLED,
                                         say("No plugin file libspoc-", name, ".so was found."));
    copy_text(info.hint,
              say("install libspoc-", name, ", or name its directory in SPOC_PLUGIN_PATH"));
    return info;
}

/// Beside the library; empty when that cannot be told.
std::string helper_path() {
    const std::string directory = library_directory();
    return directory.empty() ? directory : directory + "/spoc/spoc-probe";
}

void announce(const spoc_backend_info& info) {
    const std::string what =
        info.reason == SPOC_BE_REASON_NONE
            ? say("ready, ", info.device_count, " devices")
            : say(spoc_state_name(info.state), ", ", spoc_reason_name(info.reason), ": ",
                  field_text(info.message));
    write_log(SPOC_BE_LOG_INFO, "core", say("backend ", field_text(info.name), ": ", what));
}

}  // namespace

outcome registry::probe(std::uint32_t stage) {
    const std::lock_guard lock(mutex_);
    return probe_locked(stage);
}

outcome registry::probe_locked(std::uint32_t stage) {
    if (outcome scanned = scan(); !scanned.ok()) {
        return scanned;
    }
    for (listed& entry : list_) {
        advance(entry, stage);
    }
    return stage == SPOC_STAGE_ENUMERATED ? make_devices() : outcome{};
}

outcome registry::scan() {
    if (scanned_) {
        return {};
    }
    search_ = search_plugins(options_.application_dirs, config_);
    backend_filter filter;
    if (outcome made = backend_filter::make(config_, all_names(), filter); !made.ok()) {
        return made;
    }
    list_candidates(filter);
    list_missing(filter);
    std::stable_sort(list_.begin(), list_.end(), [&](const listed& a, const listed& b) {
        const std::string_view name_a = field_text(a.info().name);
        const std::string_view name_b = field_text(b.info().name);
        return std::pair(filter.rank(name_a), name_a) < std::pair(filter.rank(name_b), name_b);
    });
    scanned_ = true;
    return {};
}

std::vector<std::string> registry::all_names() const {
    std::vector<std::string> names;
    names.reserve(known_backends.size() + search_.candidates.size());
    for (const known_backend& known : known_backends) {
        names.emplace_back(known.name);
    }
    for (const plugin_candidate& candidate : search_.candidates) {
        if (std::find(names.begin(), names.end(), candidate.name) == names.end()) {
            names.push_back(candidate.name);
        }
    }
    return names;
}

void registry::list_candidates(const backend_filter& filter) {
    std::set<std::string> taken;
    list_.clear();
    for (const plugin_candidate& candidate : search_.candidates) {
        listed& entry = list_.emplace_back();
        const std::string disabled = filter.why_disabled(candidate.name);
        if (candidate.path.size() >= sizeof entry.fixed.file) {
            entry.fixed =
                plain_entry(candidate.name, candidate.path, SPOC_BE_REASON_FILE_UNREADABLE,
                            say("The file's path is too long (", candidate.path.size(),
                                " bytes, at most ", sizeof entry.fixed.file - 1, ")."));
        } else if (!taken.insert(candidate.name).second) {
            entry.fixed = plain_entry(
                candidate.name, candidate.path, SPOC_BE_REASON_SHADOWED,
                say("A file for the backend ", candidate.name, " was found in an earlier place."));
        } else if (!disabled.empty()) {
            entry.fixed = plain_entry(candidate.name, candidate.path,
                                      SPOC_BE_REASON_DISABLED_BY_USER, disabled);
        } else {
            entry.found = std::make_unique<plugin>(candidate.name, candidate.path, config_);
        }
    }
}

void registry::list_missing(const backend_filter& filter) {
    for (const known_backend& known : known_backends) {
        if (!known.always_listed || first_named(known.name) != nullptr) {
            continue;
        }
        const std::string disabled = filter.why_disabled(known.name);
        list_.emplace_back().fixed =
            disabled.empty()
                ? missing_entry(known.name)
                : plain_entry(known.name, "", SPOC_BE_REASON_DISABLED_BY_USER, disabled);
    }
}

const registry::listed* registry::first_named(std::string_view name) const {
    const auto entry = std::find_if(list_.begin(), list_.end(), [name](const listed& e) {
        return field_text(e.info().name) == name;
    });
    return entry == list_.end() ? nullptr : &*entry;
}

void registry::advance(listed& entry, std::uint32_t stage) {
    if (entry.found == nullptr || entry.info().reason != SPOC_BE_REASON_NONE ||
        entry.info().stage >= stage) {
        return;
    }
    if (options_.isolate && entry.isolated_stage < stage) {
        prove_in_helper(entry, stage);
    }
    entry.found->advance(stage);
    announce(entry.info());
}

void registry::prove_in_helper(listed& entry, std::uint32_t stage) {
    const std::uint32_t proved =
        stage == SPOC_STAGE_ENUMERATED && options_.prove_devices ? SPOC_STAGE_OPENED : stage;
    const spoc_backend_info answer =
        probe_in_helper(helper_path(), entry.info(), proved, options_.probe_timeout);
    entry.isolated_stage = stage;
    if (answer.reason != SPOC_BE_REASON_NONE) {
        entry.found->adopt_failure(answer);
    }
}

outcome registry::make_devices() {
    if (devices_made_) {
        return {};
    }
    std::vector<selector> visible;
    if (const char* list = config_.get("SPOC_DEVICES")) {
        if (outcome parsed = parse_selectors("SPOC_DEVICES", list, visible); !parsed.ok()) {
            return parsed;
        }
    }
    if (outcome named = check_selectors("SPOC_DEVICES", visible); !named.ok()) {
        return named;
    }
    for (listed& entry : list_) {
        if (entry.found == nullptr || entry.info().reason != SPOC_BE_REASON_NONE) {
            continue;
        }
        for (const spoc_be_device_info& info : entry.found->devices()) {
            const std::string_view backend = field_text(entry.info().name);
            const bool shown = visible.empty() ||
                               std::any_of(visible.begin(), visible.end(), [&](const selector& s) {
                                   return s.fits(backend, info);
                               });
            if (shown) {
                devices_.push_back(std::make_unique<spoc_device_s>(
                    *entry.found, info, static_cast<std::uint32_t>(devices_.size())));
            }
        }
    }
    devices_made_ = true;
    return {};
}

outcome registry::check_named(std::string_view where, std::string_view backend) const {
    const std::vector<std::string> names = all_names();
    if (std::find(names.begin(), names.end(), backend) != names.end()) {
        return {};
    }
    return unknown_backend(where, backend, names);
}

outcome registry::check_selectors(std::string_view where,
                                  const std::vector<selector>& selectors) const {
    for (const selector& one : selectors) {
        if (one.backend.empty()) {
            continue;  // every backend
        }
        if (outcome named = check_named(where, one.backend); !named.ok()) {
            return named;
        }
    }
    return {};
}

outcome registry::require(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (outcome scanned = scan(); !scanned.ok()) {
        return scanned;
    }
    if (outcome named = check_named("The argument", name); !named.ok()) {
        return named;
    }
    for (listed& entry : list_) {
        if (field_text(entry.info().name) == name) {
            advance(entry, SPOC_STAGE_ENUMERATED);
        }
    }
    const listed* entry = first_named(name);
    const spoc_backend_info info = entry == nullptr ? missing_entry(name) : entry->info();
    if (info.reason == SPOC_BE_REASON_NONE) {
        return {};
    }
    outcome missing = outcome::unavailable(info.reason, name, field_text(info.message));
    missing.error().native_code = info.native_code;
    copy_text(missing.error().native_domain, field_text(info.native_domain));
    return missing;
}

outcome registry::backend_count(std::uint32_t& out_count) {
    const std::lock_guard lock(mutex_);
    if (outcome probed = probe_locked(SPOC_STAGE_PASSIVE); !probed.ok()) {
        return probed;
    }
    out_count = static_cast<std::uint32_t>(list_.size());
    return {};
}

outcome registry::backend_info(std::uint32_t index, spoc_backend_info& out_info) {
    const std::lock_guard lock(mutex_);
    if (outcome probed = probe_locked(SPOC_STAGE_PASSIVE); !probed.ok()) {
        return probed;
    }
    if (index >= list_.size()) {
        return outcome::invalid(SPOC_SUB_BOUNDS, say("There is no backend entry ", index, " (",
                                                     list_.size(), " entries)."))
            .figures(index, list_.size());
    }
    out_info = list_[index].info();
    return {};
}

outcome registry::place_count(std::uint32_t& out_count) {
    const std::lock_guard lock(mutex_);
    if (outcome scanned = scan(); !scanned.ok()) {
        return scanned;
    }
    out_count = static_cast<std::uint32_t>(search_.places.size());
    return {};
}

outcome registry::place(std::uint32_t index, spoc_search_place& out_place) {
    const std::lock_guard lock(mutex_);
    if (outcome scanned = scan(); !scanned.ok()) {
        return scanned;
    }
    if (index >= search_.places.size()) {
        return outcome::invalid(SPOC_SUB_BOUNDS, say("There is no place ", index, " (",
                                                     search_.places.size(), " places)."))
            .figures(index, search_.places.size());
    }
    out_place = search_.places[index];
    return {};
}

outcome registry::devices(std::vector<spoc_device>& out_devices) {
    const std::lock_guard lock(mutex_);
    if (outcome probed = probe_locked(SPOC_STAGE_ENUMERATED); !probed.ok()) {
        return probed;
    }
    out_devices.clear();
    for (const auto& device : devices_) {
        out_devices.push_back(device.get());
    }
    return {};
}

outcome registry::select(std::string_view selectors, std::vector<spoc_device>& out_devices) {
    std::vector<selector> wanted;
    if (outcome parsed = parse_selectors("The argument", selectors, wanted); !parsed.ok()) {
        return parsed;
    }
    {
        // Names are checked before a driver is asked for anything.
        const std::lock_guard lock(mutex_);
        if (outcome scanned = scan(); !scanned.ok()) {
            return scanned;
        }
        if (outcome named = check_selectors("The argument", wanted); !named.ok()) {
            return named;
        }
    }
    std::vector<spoc_device> found;
    for (const selector& one : wanted) {
        std::vector<spoc_device> all;
        if (outcome listed_all = devices(all); !listed_all.ok()) {
            return listed_all;
        }
        if (!one.backend.empty()) {
            if (outcome ready = require(one.backend); !ready.ok()) {
                return ready;
            }
        }
        for (spoc_device device : all) {
            const bool new_one = std::find(found.begin(), found.end(), device) == found.end();
            if (new_one && one.fits(device->backend(), device->info())) {
                found.push_back(device);
            }
        }
    }
    out_devices = std::move(found);
    return {};
}

void registry::close() {
    const std::lock_guard lock(mutex_);
    const auto later = [](const auto* a, const auto* b) { return a->opened() > b->opened(); };
    std::vector<spoc_device> opened_devices;
    for (const auto& device : devices_) {
        opened_devices.push_back(device.get());
    }
    std::stable_sort(opened_devices.begin(), opened_devices.end(), later);
    std::vector<plugin*> opened_plugins;
    for (const listed& entry : list_) {
        if (entry.found != nullptr) {
            opened_plugins.push_back(entry.found.get());
        }
    }
    std::stable_sort(opened_plugins.begin(), opened_plugins.end(), later);
    for (spoc_device device : opened_devices) {
        if (process_state() == SPOC_BE_PROCESS_RUNNING) {
            device->close();
        }
    }
    for (plugin* one : opened_plugins) {
        if (process_state() == SPOC_BE_PROCESS_RUNNING) {
            one->close();
        }
    }
    forget_records();
}

void registry::forget_records() {
    // Plugins and devices stay for those who point at them; the rest is only weight.
    search_ = {};
    std::erase_if(list_, [](const listed& entry) { return entry.found == nullptr; });
    list_.shrink_to_fit();
}

}  // namespace spoc::detail
