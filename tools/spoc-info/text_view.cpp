// SPDX-License-Identifier: Apache-2.0
#include "text_view.hpp"

#include <algorithm>

#include "limits.hpp"
#include "places.hpp"
#include "settings.hpp"

namespace spoc::info {
namespace {

/// Separates sections by an empty line.
template <typename Section>
void append_section(std::string& out, Section section) {
    std::string text;
    section(text);
    if (!out.empty() && !text.empty()) {
        out.append("\n");
    }
    out.append(text);
}

void append_requirements(std::string& out, const model& m, const style& look) {
    std::size_t width = 0;
    for (const requirement_result& requirement : m.requirements) {
        width = std::max(width, tools::columns(requirement.expression));
    }
    if (width > 0) {
        out.append(look.paint(colour::bold, "Requirements:")).append("\n");
    }
    for (const requirement_result& requirement : m.requirements) {
        const std::string verdict = tools::pad(requirement.met ? "met" : "unmet", 5);
        const std::string lead =
            "  " + tools::pad(tools::printable(requirement.expression), width) + "  " +
            look.paint(requirement.met ? colour::green : colour::red, verdict) + "  ";
        look.hang(out, lead, width + 11, requirement.why);
    }
}

const char* outcome_name(std::uint32_t outcome) {
    return outcome == SPOC_STEP_PASSED   ? "passed"
           : outcome == SPOC_STEP_FAILED ? "failed"
                                         : "skipped";
}

colour outcome_colour(std::uint32_t outcome) {
    return outcome == SPOC_STEP_PASSED   ? colour::green
           : outcome == SPOC_STEP_FAILED ? colour::red
                                         : colour::dim;
}

void append_self_test(std::string& out, const self_test_result& result, const style& look) {
    const colour verdict = result.passed() ? colour::green : colour::red;
    look.hang(out,
              "  " + result.selector + "  " +
                  look.paint(verdict, result.passed() ? "passed" : "failed") + "  ",
              result.selector.size() + 12, result.trouble);
    for (const spoc_self_test_step& step : result.steps) {
        const std::string lead =
            "    " + tools::pad(step.name, 24) +
            look.paint(outcome_colour(step.outcome), tools::pad(outcome_name(step.outcome), 9));
        look.hang(out, lead, 37, step.message);
    }
}

void append_setting(std::string& out, const setting& variable, const style& look) {
    const std::string value = variable.value ? "= " + *variable.value : "(not set)";
    look.hang(out, "  " + look.paint(colour::bold, variable.name) + " ", variable.name.size() + 3,
              value);
    look.hang(out, "    ", 4, variable.summary);
    if (!variable.default_text.empty()) {
        const bool is_idle = variable.value && !variable.holds();
        look.hang(out, "    ", 4,
                  (is_idle ? "in force: the default, " : "default: ") + variable.default_text);
    }
    if (const std::string remark = remark_on(variable); !remark.empty()) {
        look.hang(out, "    ", 4, remark);
    }
}

/// "searched, 2 plugins, from SPOC_PLUGIN_PATH", "refused, from SPOC_PLUGIN_PATH: ...".
std::string verdict_on(const place_facts& place) {
    std::string text = spoc_place_verdict_name(place.verdict);
    if (place.verdict == SPOC_PLACE_SEARCHED) {
        text += tools::formatted(", %u plugin%s", place.files, place.files == 1 ? "" : "s");
    }
    text.append(", ").append(origin_text(place.source));
    return place.why.empty() ? text : text + ": " + place.why;
}

void append_found(std::string& out, const place_facts& place, const style& look) {
    constexpr std::size_t indent = 7;
    std::size_t width = 0;
    for (const found_file& file : place.found) {
        width = std::max(width, tools::columns(file.name));
    }
    for (const found_file& file : place.found) {
        look.field(out, indent, file.name, width + 2, verdict_text(file.state, file.reason));
    }
    for (const std::string& name : place.passed_over) {
        look.hang(out, std::string(indent, ' '), indent,
                  name + ": passed over, since it is not called libspoc-NAME.so");
    }
}

}  // namespace

std::string size_text(const std::optional<std::uint64_t>& bytes) {
    return bytes ? tools::human_bytes(*bytes) : "unknown";
}

std::string verdict_text(std::uint32_t state, std::uint32_t reason) {
    const std::string text = spoc_state_name(state);
    return reason == SPOC_BE_REASON_NONE ? text : text + ": " + spoc_reason_name(reason);
}

std::string driver_text(const spoc_backend_info& entry) {
    std::string text = entry.driver_name;
    if (const auto version = version_text(entry.driver_version)) {
        text += (text.empty() ? "" : " ") + *version;
    }
    if (const auto minimum = version_text(entry.driver_minimum)) {
        text += " (needs " + *minimum + ")";
    }
    return text;
}

void append_places(std::string& out, const model& m, const style& look) {
    out.append(look.paint(colour::bold, "Search path:")).append("\n");
    std::size_t number = 0;
    for (const place_facts& place : m.places) {
        look.hang(out, tools::formatted("  %zu  ", ++number), 5,
                  place.path.empty() ? "(empty)" : place.path);
        look.hang(out, "     ", 5, verdict_on(place));
        append_found(out, place, look);
    }
}

void append_settings(std::string& out, const model& m, const style& look) {
    out.append(look.paint(colour::bold, "Environment:")).append("\n");
    for (const setting& variable : *m.settings) {
        append_setting(out, variable, look);
    }
}

void append_self_tests(std::string& out, const model& m, const style& look) {
    out.append(look.paint(colour::bold, "Self-test:"))
        .append(m.self_tests->empty() ? " no device\n" : "\n");
    for (const self_test_result& result : *m.self_tests) {
        append_self_test(out, result, look);
    }
}

std::string text_of(const model& m, const options& wanted, const style& look) {
    std::string out;
    if (m.is_wrong_use()) {
        return out;
    }
    if (!wanted.parts_only()) {
        append_section(out, [&](std::string& text) { append_overview(text, m, look); });
    }
    if (wanted.verbose) {
        append_section(out, [&](std::string& text) { append_details(text, m, look); });
    }
    if (wanted.paths || (wanted.verbose && !wanted.parts_only())) {
        append_section(out, [&](std::string& text) { append_places(text, m, look); });
    }
    if (m.settings) {
        append_section(out, [&](std::string& text) { append_settings(text, m, look); });
    }
    if (m.self_tests) {
        append_section(out, [&](std::string& text) { append_self_tests(text, m, look); });
    }
    append_section(out, [&](std::string& text) { append_requirements(text, m, look); });
    return out;
}

}  // namespace spoc::info
