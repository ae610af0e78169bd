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
    const spoc_be_device_info& properties = facts.which.properties();
    return {std::string(facts.which.selector()), tools::printable(properties.name),
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

struct backend_widths {
    std::size_t name = 0;
    std::size_t state = 0;
};

backend_widths widths_of(const std::vector<const spoc_backend_info*>& entries) {
    backend_widths widths;
    for (const spoc_backend_info* entry : entries) {
        widths.name = std::max(widths.name, std::string_view(entry->name).size());
        widths.state =
            std::max(widths.state, std::string_view(spoc_state_name(entry->state)).size());
    }
    return widths;
}

/// "NOT_INSTALLED  No plugin file ...", or what is remarkable about a backend that is ready.
std::string reason_text(const spoc_backend_info& entry) {
    const std::string code =
        entry.reason == SPOC_BE_REASON_NONE ? "" : spoc_reason_name(entry.reason);
    return code + (code.empty() || *entry.message == '\0' ? "" : "  ") + entry.message;
}

/// What there is to say about a backend, in pieces that begin a line of their own. The hint joins
/// the reason where both fit in `room` columns.
std::vector<std::string> remarks_on(const spoc_backend_info& entry, std::size_t room) {
    std::vector<std::string> remarks;
    if (std::string reason = reason_text(entry); !reason.empty()) {
        remarks.push_back(std::move(reason));
    }
    if (*entry.hint != '\0') {
        const std::string hint = "(hint: " + std::string(entry.hint) + ")";
        const bool fits =
            !remarks.empty() && tools::columns(remarks.back()) + 2 + tools::columns(hint) <= room;
        if (fits) {
            remarks.back() += "  " + hint;
        } else {
            remarks.push_back(hint);
        }
    }
    std::istringstream skipped(entry.skipped);
    for (std::string line; std::getline(skipped, line);) {
        remarks.push_back("passed over: " + line);
    }
    return remarks;
}

void append_backend(std::string& out, const spoc_backend_info& entry, const backend_widths& widths,
                    const style& look) {
    const std::string state = tools::pad(spoc_state_name(entry.state), widths.state);
    std::string lead = "  " + tools::pad(entry.name, widths.name) + "  " +
                       look.paint(state_colour(entry.state), state) + "  ";
    const std::size_t lead_columns = 2 + widths.name + 2 + widths.state + 2;
    const std::size_t room = look.width() - std::min(look.width(), lead_columns);
    for (const std::string& remark : remarks_on(entry, room)) {
        look.hang(out, lead, lead_columns, remark);
        lead = std::string(lead_columns, ' ');
    }
}

void append_backends(std::string& out, const char* heading,
                     const std::vector<const spoc_backend_info*>& entries, const style& look) {
    if (entries.empty()) {
        return;
    }
    out.append("\n").append(look.paint(colour::bold, heading)).append("\n");
    const backend_widths widths = widths_of(entries);
    for (const spoc_backend_info* entry : entries) {
        append_backend(out, *entry, widths, look);
    }
}

}  // namespace

void append_overview(std::string& out, const model& m, const style& look) {
    std::vector<const spoc_backend_info*> not_ready;
    std::vector<const spoc_backend_info*> remarkable;
    for (const spoc_backend_info& entry : m.backends) {
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
