// SPDX-License-Identifier: Apache-2.0
#include "text_view.hpp"

#include <algorithm>

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

void append_setting(std::string& out, const spoc_setting& setting, const style& look) {
    const std::string_view name = setting.name;
    const std::string value =
        setting.value == nullptr ? "(not set)" : "= " + std::string(setting.value);
    look.hang(out, "  " + look.paint(colour::bold, name) + " ", name.size() + 3, value);
    look.hang(out, "    ", 4, setting.summary);
    look.hang(out, "    ", 4, std::string("default: ") + setting.default_text);
    if ((setting.flags & SPOC_SETTING_IGNORED_SECURE) != 0) {
        look.hang(out, "    ", 4, "ignored: this process is privileged");
    }
    if ((setting.flags & SPOC_SETTING_BAD_VALUE) != 0) {
        look.hang(out, "    ", 4, "bad value: the default holds");
    }
}

}  // namespace

std::string size_text(const std::optional<std::uint64_t>& bytes) {
    return bytes ? tools::human_bytes(*bytes) : "unknown";
}

void append_places(std::string& out, const model& m, const style& look) {
    out.append(look.paint(colour::bold, "Search path:")).append("\n");
    std::size_t number = 0;
    for (const spoc_search_place& place : m.places) {
        std::string verdict = spoc_place_verdict_name(place.verdict);
        if (place.verdict == SPOC_PLACE_SEARCHED) {
            verdict += tools::formatted(", %u plugin%s", place.files, place.files == 1 ? "" : "s");
        }
        verdict.append(", from ").append(spoc_search_source_name(place.source));
        look.hang(out, tools::formatted("  %zu  ", ++number), 5,
                  *place.path == '\0' ? "(empty)" : place.path);
        look.hang(out, "     ", 5, verdict);
    }
}

void append_settings(std::string& out, const model& m, const style& look) {
    out.append(look.paint(colour::bold, "Environment:")).append("\n");
    for (const spoc_setting& setting : *m.settings) {
        append_setting(out, setting, look);
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
