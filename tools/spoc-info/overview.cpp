// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <vector>

#include "text_view.hpp"

namespace spoc::info {
namespace {

/// A device's line, in columns.
struct device_row {
    std::string selector;
    std::string name;
    std::string kind;
    std::string memory;
    std::string driver;
};

struct device_widths {
    std::size_t selector = 0;
    std::size_t name = 0;
    std::size_t kind = 0;
    std::size_t memory = 0;
};

std::string memory_text(const device_facts& facts) {
    if (!facts.memory_total && !facts.memory_free) {
        return "memory unknown";
    }
    if (!facts.memory_free) {
        return tools::human_bytes(*facts.memory_total);
    }
    return size_text(facts.memory_free) + " free of " + size_text(facts.memory_total);
}

device_row row_of(const device_facts& facts) {
    const spoc_be_device_info& properties = facts.properties;
    return {facts.selector, tools::printable(properties.name),
            spoc_device_kind_name(properties.kind), memory_text(facts),
            tools::printable(properties.driver)};
}

device_widths widths_of(const std::vector<device_row>& rows) {
    constexpr std::size_t most_name = 44;
    device_widths widths;
    for (const device_row& row : rows) {
        widths.selector = std::max(widths.selector, tools::columns(row.selector));
        widths.name = std::max(widths.name, std::min(tools::columns(row.name), most_name));
        widths.kind = std::max(widths.kind, tools::columns(row.kind));
        widths.memory = std::max(widths.memory, tools::columns(row.memory));
    }
    return widths;
}

/// The driver goes to a line of its own where it does not fit, and the name is cut before a line
/// gets too long.
void append_device(std::string& out, const device_row& row, const device_widths& widths,
                   const style& look) {
    const std::size_t others = 2 + widths.selector + 2 + 2 + widths.kind + 2 + widths.memory;
    const std::size_t room = look.width() > others + 12 ? look.width() - others : 12;
    const std::size_t name_width = std::min(widths.name, room);
    out.append("  ").append(look.paint(colour::green, tools::pad(row.selector, widths.selector)));
    out.append("  ").append(tools::pad(tools::cut(row.name, name_width), name_width));
    out.append("  ").append(tools::pad(row.kind, widths.kind)).append("  ");
    const std::size_t used = others + name_width;
    if (row.driver.empty() || used + 2 + tools::columns(row.driver) <= look.width()) {
        out.append(row.driver.empty() ? row.memory
                                      : tools::pad(row.memory, widths.memory) + "  " + row.driver);
        out.append("\n");
    } else {
        out.append(row.memory).append("\n");
        look.field(out, 2 + widths.selector + 2, "driver:", 8, row.driver);
    }
}

void append_devices(std::string& out, const model& m, const style& look) {
    out.append(look.paint(colour::bold, "Devices:")).append(m.devices.empty() ? " none\n" : "\n");
    std::vector<device_row> rows;
    for (const device_facts& facts : m.devices) {
        rows.push_back(row_of(facts));
    }
    const device_widths widths = widths_of(rows);
    for (const device_row& row : rows) {
        append_device(out, row, widths, look);
    }
}

using backend_list = std::vector<const spoc_backend_info*>;

struct backend_widths {
    std::size_t name = 0;
    std::size_t state = 0;
    std::size_t code = 0;
};

/// "NOT_INSTALLED", or nothing for a backend that is ready.
std::string code_of(const spoc_backend_info& entry) {
    return entry.reason == SPOC_BE_REASON_NONE ? "" : spoc_reason_name(entry.reason);
}

backend_widths widths_of(const backend_list& entries) {
    backend_widths widths;
    for (const spoc_backend_info* entry : entries) {
        widths.name = std::max(widths.name, std::string_view(entry->name).size());
        widths.state =
            std::max(widths.state, std::string_view(spoc_state_name(entry->state)).size());
        widths.code = std::max(widths.code, code_of(*entry).size());
    }
    return widths;
}

/// The hint with the backend's own name taken out: "install libspoc-NAME, ...".
std::string general_hint(const spoc_backend_info& entry) {
    const std::string own = std::string("libspoc-") + entry.name;
    std::string hint = entry.hint;
    const std::size_t at = hint.find(own);
    return at == std::string::npos ? hint : hint.replace(at, own.size(), "libspoc-NAME");
}

/// A hint that several entries share, and the reason that they share.
struct shared_hint {
    std::string code;
    std::string text;
};

bool is_shared(const spoc_backend_info& entry, const std::vector<shared_hint>& hints) {
    return std::any_of(hints.begin(), hints.end(), [&entry](const shared_hint& hint) {
        return hint.code == code_of(entry) && hint.text == general_hint(entry);
    });
}

/// Hints that more than one entry has: on a machine that lacks five plugins the same advice five
/// times would push the devices off the screen.
std::vector<shared_hint> shared_hints(const backend_list& entries) {
    std::vector<shared_hint> hints;
    for (const spoc_backend_info* entry : entries) {
        const auto same = [entry](const spoc_backend_info* other) {
            return other->reason == entry->reason && general_hint(*other) == general_hint(*entry);
        };
        if (*entry->hint != '\0' && !is_shared(*entry, hints) &&
            std::count_if(entries.begin(), entries.end(), same) > 1) {
            hints.push_back({code_of(*entry), general_hint(*entry)});
        }
    }
    return hints;
}

/// "NOT_INSTALLED  No plugin file ...", or what is remarkable about a backend that is ready.
std::string reason_text(const spoc_backend_info& entry, std::size_t code_width) {
    const std::string code = code_of(entry);
    return code.empty()             ? entry.message
           : *entry.message == '\0' ? code
                                    : tools::pad(code, code_width) + "  " + entry.message;
}

/// Appends `remark` to the last of `remarks` where both fit in `room` columns, else as a line of
/// its own.
void join(std::vector<std::string>& remarks, std::string remark, std::size_t room) {
    if (!remarks.empty() && tools::columns(remarks.back()) + 2 + tools::columns(remark) <= room) {
        remarks.back() += "  " + remark;
    } else {
        remarks.push_back(std::move(remark));
    }
}

/// What there is to say about a backend, in pieces that begin a line of their own.
std::vector<std::string> remarks_on(const spoc_backend_info& entry, std::size_t code_width,
                                    bool with_hint, std::size_t room) {
    std::vector<std::string> remarks;
    if (std::string reason = reason_text(entry, code_width); !reason.empty()) {
        remarks.push_back(std::move(reason));
    }
    // Of a backend that is ready, the lines of its devices name the driver.
    if (std::string driver = driver_text(entry);
        entry.state != SPOC_STATE_READY && !driver.empty()) {
        join(remarks, "(driver: " + driver + ")", room);
    }
    if (with_hint && *entry.hint != '\0') {
        join(remarks, "(hint: " + std::string(entry.hint) + ")", room);
    }
    std::istringstream skipped(entry.skipped);
    for (std::string line; std::getline(skipped, line);) {
        remarks.push_back("passed over: " + line);
    }
    return remarks;
}

void append_backend(std::string& out, const spoc_backend_info& entry, const backend_widths& widths,
                    bool with_hint, const style& look) {
    const std::string state = tools::pad(spoc_state_name(entry.state), widths.state);
    std::string lead = "  " + tools::pad(entry.name, widths.name) + "  " +
                       look.paint(state_colour(entry.state), state) + "  ";
    const std::size_t lead_columns = 2 + widths.name + 2 + widths.state + 2;
    const std::size_t room = look.width() - std::min(look.width(), lead_columns);
    for (const std::string& remark : remarks_on(entry, widths.code, with_hint, room)) {
        look.hang(out, lead, lead_columns, remark);
        lead = std::string(lead_columns, ' ');
    }
}

void append_backends(std::string& out, const char* heading, const backend_list& entries,
                     const style& look) {
    if (entries.empty()) {
        return;
    }
    out.append("\n").append(look.paint(colour::bold, heading)).append("\n");
    const backend_widths widths = widths_of(entries);
    const std::vector<shared_hint> hints = shared_hints(entries);
    for (const spoc_backend_info* entry : entries) {
        append_backend(out, *entry, widths, !is_shared(*entry, hints), look);
    }
    for (const shared_hint& hint : hints) {
        look.hang(out, "  ", 2, "(hint for " + hint.code + ": " + hint.text + ")");
    }
}

}  // namespace

void append_overview(std::string& out, const model& m, const style& look) {
    backend_list not_ready;
    backend_list remarkable;
    for (const backend_facts& facts : m.backends) {
        const spoc_backend_info& entry = facts.info;
        if (entry.state != SPOC_STATE_READY) {
            not_ready.push_back(&entry);
        } else if (*entry.message != '\0' || *entry.skipped != '\0') {
            remarkable.push_back(&entry);
        }
    }
    append_devices(out, m, look);
    append_backends(out, "Ready, with remarks:", remarkable, look);
    append_backends(out, "Not ready:", not_ready, look);
}

}  // namespace spoc::info
