// SPDX-License-Identifier: Apache-2.0
#include "style.hpp"

#include <algorithm>

namespace spoc::info {
namespace {

const char* escape_sequence(colour c) {
    switch (c) {
        case colour::bold:
            return "\033[1m";
        case colour::dim:
            return "\033[2m";
        case colour::green:
            return "\033[32m";
        case colour::yellow:
            return "\033[33m";
        case colour::red:
            return "\033[31m";
        case colour::plain:
            break;
    }
    return "";
}

}  // namespace

std::string style::paint(colour c, std::string_view text) const {
    if (!coloured_ || c == colour::plain) {
        return std::string(text);
    }
    return std::string(escape_sequence(c)).append(text).append("\033[0m");
}

void style::hang(std::string& out, std::string_view lead, std::size_t lead_columns,
                 std::string_view text) const {
    constexpr std::size_t least = 24;
    const std::size_t room = width_ > lead_columns + least ? width_ - lead_columns : least;
    bool first = true;
    for (const std::string& line : tools::wrap(tools::printable(text), room)) {
        if (first) {
            out.append(lead);
        } else {
            out.append(lead_columns, ' ');
        }
        out.append(line);
        out.erase(out.find_last_not_of(' ') + 1);
        out.append("\n");
        first = false;
    }
}

void style::field(std::string& out, std::size_t indent, std::string_view label,
                  std::size_t label_columns, std::string_view text) const {
    if (!text.empty()) {
        const std::string lead = std::string(indent, ' ') + tools::pad(label, label_columns);
        hang(out, lead, indent + std::max(label_columns, tools::columns(label)), text);
    }
}

colour state_colour(std::uint32_t state) {
    switch (state) {
        case SPOC_STATE_READY:
            return colour::green;
        case SPOC_STATE_UNUSABLE:
            return colour::yellow;
        case SPOC_STATE_FAULTY:
            return colour::red;
        default:
            return colour::dim;
    }
}

}  // namespace spoc::info
