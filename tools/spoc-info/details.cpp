// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "file_owner.hpp"
#include "limits.hpp"
#include "physical.hpp"
#include "text_view.hpp"

namespace spoc::info {
namespace {

constexpr std::size_t indent = 4;
constexpr std::size_t label_columns = 14;

#if defined(__APPLE__)
constexpr const char* plugin_suffix = ".dylib";
#else
constexpr const char* plugin_suffix = ".so";
#endif

std::string milliseconds_text(std::uint64_t nanoseconds) {
    return tools::formatted("%.1f ms", static_cast<double>(nanoseconds) / 1e6);
}

/// What became of the file at `path`: its entry's verdict, or that there is no such file.
std::string verdict_on(const model& m, const std::string& path) {
    const auto entry = std::find_if(
        m.backends.begin(), m.backends.end(),
        [&path](const backend_facts& candidate) { return path == candidate.info.file; });
    return entry == m.backends.end() ? "no such file"
                                     : verdict_text(entry->info.state, entry->info.reason);
}

/// Every path where a plugin of this name was looked for, with its verdict.
void append_tried(std::string& out, const model& m, const spoc_backend_info& entry,
                  const style& look) {
    const std::string file_name = std::string("libspoc-") + entry.name + plugin_suffix;
    const char* label = "tried";
    for (const place_facts& place : m.places) {
        std::string path = place.path;
        const bool is_file = place.source == SPOC_SEARCH_FILES;
        if (is_file && path.substr(path.rfind('/') + 1) != file_name) {
            continue;
        }
        if (!is_file) {
            path.append("/").append(file_name);
        }
        const std::string verdict = place.verdict == SPOC_PLACE_SEARCHED
                                        ? verdict_on(m, path)
                                        : spoc_place_verdict_name(place.verdict);
        look.field(out, indent, label, label_columns, path.append(": ").append(verdict));
        label = "";
    }
}

std::string plugin_text(const spoc_backend_info& entry) {
    std::string text = entry.plugin_version;
    if (*entry.plugin_vendor != '\0') {
        text += std::string(text.empty() ? "" : ", ") + "by " + entry.plugin_vendor;
    }
    if (entry.abi_major != 0) {
        text += (text.empty() ? "contract " : ", contract ") + std::to_string(entry.abi_major) +
                "." + std::to_string(entry.abi_minor);
    }
    return text;
}

void append_permissions(std::string& out, const backend_facts& facts, const style& look) {
    if (facts.file && facts.folder) {
        look.field(out, indent, "file is", label_columns, owner_text(*facts.file));
        look.field(out, indent, "folder is", label_columns, owner_text(*facts.folder));
    }
}

void append_skipped(std::string& out, const spoc_backend_info& entry, const style& look) {
    std::istringstream lines(entry.skipped);
    const char* label = "passed over";
    for (std::string line; std::getline(lines, line);) {
        look.field(out, indent, label, label_columns, line);
        label = "";
    }
}

void append_reason(std::string& out, const spoc_backend_info& entry, const style& look) {
    const std::string code =
        entry.reason == SPOC_BE_REASON_NONE ? "" : spoc_reason_name(entry.reason);
    look.field(out, indent, code.empty() ? "remark" : "reason", label_columns,
               code.empty() ? entry.message : code + ": " + entry.message);
    look.field(out, indent, "hint", label_columns, entry.hint);
    if (entry.native_code != 0) {
        look.field(out, indent, "driver's code", label_columns,
                   std::string(entry.native_domain) + " " + std::to_string(entry.native_code));
    }
}

void append_backend(std::string& out, const model& m, const backend_facts& facts,
                    const style& look) {
    const spoc_backend_info& entry = facts.info;
    out.append("  ").append(look.paint(colour::bold, entry.name)).append("  ");
    out.append(look.paint(state_colour(entry.state), spoc_state_name(entry.state))).append("\n");
    append_reason(out, entry, look);
    look.field(out, indent, "stage reached", label_columns, spoc_stage_name(entry.stage));
    look.field(out, indent, "file", label_columns, entry.file);
    append_permissions(out, facts, look);
    look.field(out, indent, "plugin", label_columns, plugin_text(entry));
    look.field(out, indent, "driver", label_columns, driver_text(entry));
    look.field(out, indent, "driver's file", label_columns, entry.driver_path);
    if (const auto count = known(entry.device_count)) {
        look.field(out, indent, "devices", label_columns, std::to_string(*count));
    }
    append_skipped(out, entry, look);
    if (entry.threads_started != 0) {
        look.field(
            out, indent, "threads", label_columns,
            std::to_string(entry.threads_started) + " started by the driver while it was probed");
    }
    look.field(out, indent, "time taken", label_columns, milliseconds_text(entry.elapsed_ns));
    if (entry.state != SPOC_STATE_SHADOWED) {
        append_tried(out, m, entry, look);
    }
}

std::string figure_text(const std::optional<std::uint64_t>& figure, bool in_bytes) {
    if (!figure) {
        return "unknown";
    }
    if (*figure == SPOC_BE_NO_LIMIT) {
        return "no limit";
    }
    return in_bytes ? tools::human_bytes(*figure) : std::to_string(*figure);
}

std::string figures_text(const limit& l) {
    std::string text;
    for (const auto& figure : l.figures) {
        text += text.empty() ? "" : " x ";
        text += figure_text(figure, l.in_bytes);
    }
    return text;
}

void append_limits(std::string& out, const spoc_be_device_info& properties, const style& look) {
    for (const limit& l : limits_of(properties)) {
        look.field(out, indent, l.name, 26, figures_text(l));
    }
    const auto tick = timer_tick_of(properties);
    look.field(out, indent, "timer_ns", 26, tick ? tools::formatted("%g", *tick) : "none known");
}

void append_capabilities(std::string& out, const device_facts& facts, const style& look) {
    constexpr std::array<const char*, 3> states = {"no", "yes", "unknown"};
    constexpr std::size_t name_columns = 26;
    constexpr std::size_t state_columns = 9;
    for (const capability_answer& given : facts.capabilities) {
        const std::string state = states.at(static_cast<std::size_t>(given.state));
        const colour c = given.state == answer::yes ? colour::green : colour::dim;
        const std::string gap(state_columns - state.size(), ' ');
        look.hang(out,
                  std::string(indent, ' ') + tools::pad(given.name, name_columns) +
                      look.paint(c, state) + gap,
                  indent + name_columns + state_columns, given.reason);
    }
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text.empty() ? "none" : text;
}

void append_identity(std::string& out, const device_facts& facts, const style& look) {
    const spoc_be_device_info& properties = facts.properties;
    look.field(out, indent, "kind", label_columns, spoc_device_kind_name(properties.kind));
    look.field(out, indent, "vendor", label_columns, properties.vendor);
    look.field(out, indent, "architecture", label_columns, properties.arch);
    look.field(out, indent, "framework", label_columns, properties.framework);
    look.field(out, indent, "driver", label_columns, properties.driver);
    look.field(out, indent, "UUID", label_columns, uuid_of(properties).value_or(""));
    look.field(out, indent, "PCI address", label_columns, pci_of(properties).value_or(""));
    if (properties.numa_node >= 0) {
        look.field(out, indent, "NUMA node", label_columns, std::to_string(properties.numa_node));
    }
    look.field(out, indent, "memory", label_columns, size_text(facts.memory_total));
    look.field(out, indent, "memory free", label_columns,
               facts.memory_trouble.empty() ? size_text(facts.memory_free) : facts.memory_trouble);
    look.field(out, indent, "formats", label_columns, joined(formats_of(properties)));
}

void append_device(std::string& out, const device_facts& facts, const style& look) {
    look.hang(out, "  " + look.paint(colour::bold, facts.selector) + "  ",
              facts.selector.size() + 4, facts.properties.name);
    append_identity(out, facts, look);
    append_limits(out, facts.properties, look);
    append_capabilities(out, facts, look);
}

void append_cards(std::string& out, const model& m, const style& look) {
    const bool any = std::any_of(m.cards.begin(), m.cards.end(),
                                 [](const card& c) { return c.members.size() > 1; });
    if (!any) {
        return;
    }
    out.append("\n").append(look.paint(colour::bold, "Seen more than once:")).append("\n");
    for (const card& c : m.cards) {
        std::vector<std::string> selectors;
        for (const std::size_t member : c.members) {
            selectors.push_back(m.devices[member].selector);
        }
        if (c.members.size() > 1) {
            look.hang(out, "  ", 2, joined(selectors) + " are one card");
        }
    }
}

void append_host(std::string& out, const host_facts& host, const style& look) {
    out.append(look.paint(colour::bold, "This machine:")).append("\n");
    look.field(out, 2, "SPOC", label_columns,
               tools::formatted("%s, contract %u.%u", spoc_version(), SPOC_BE_ABI_MAJOR,
                                SPOC_BE_ABI_MINOR));
    look.field(out, 2, "system", label_columns, host.os);
    look.field(out, 2, "kernel", label_columns, host.kernel + " " + host.machine);
    look.field(out, 2, "processors", label_columns,
               host.cpu_count ? std::to_string(*host.cpu_count) : "");
    look.field(out, 2, "memory", label_columns, size_text(host.memory_total));
    look.field(out, 2, "privileged", label_columns, host.secure ? "yes" : "");
}

}  // namespace

void append_details(std::string& out, const model& m, const style& look) {
    append_host(out, m.host, look);
    out.append("\n").append(look.paint(colour::bold, "Backends in detail:")).append("\n");
    for (const backend_facts& facts : m.backends) {
        append_backend(out, m, facts, look);
    }
    if (!m.devices.empty()) {
        out.append("\n").append(look.paint(colour::bold, "Devices in detail:")).append("\n");
    }
    for (const device_facts& facts : m.devices) {
        append_device(out, facts, look);
    }
    append_cards(out, m, look);
}

}  // namespace spoc::info
