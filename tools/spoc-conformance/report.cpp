// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <spoc/backend.h>

#include "check.hpp"
#include "common/text.hpp"

namespace spoc::conformance {
namespace {

using nlohmann::ordered_json;

constexpr std::array verdicts{verdict::passed,           verdict::failed,
                              verdict::skipped,          verdict::unsupported,
                              verdict::expected_failure, verdict::unexpected_pass};

ordered_json text_or_null(const std::string& words) {
    return words.empty() ? ordered_json(nullptr) : ordered_json(words);
}

ordered_json describe_plugin(const report& run) {
    const census& of = run.subject;
    return {{"file", run.file},
            {"name", of.name},
            {"vendor", of.vendor},
            {"version", of.version},
            {"build_id", text_or_null(of.build_id)},
            {"abi", {{"major", of.major}, {"minor", of.minor}}},
            {"flavour", of.flavour}};
}

ordered_json describe_device(const report& run) {
    if (!run.subject.no_device.empty() || !run.subject.device_unknown.empty()) {
        return nullptr;
    }
    return {{"index", run.device},
            {"count", run.subject.device_count},
            {"name", text_or_null(run.subject.device_name)},
            {"driver", text_or_null(run.subject.device_driver)}};
}

ordered_json describe_case(const judged_case& of) {
    return {{"name", of.found.name},
            {"outcome", verdict_name(of.judged)},
            {"message", text_or_null(of.found.message)},
            {"expectation", text_or_null(of.expectation)},
            {"elapsed_ms", of.found.elapsed_ms}};
}

ordered_json describe_unused(const unused_expectation& of) {
    return {{"case", of.pattern},
            {"device", text_or_null(of.device)},
            {"reason", of.reason},
            {"why", of.why}};
}

/// One line for people. What plugins, drivers and files say may hold anything.
template <typename... Parts>
std::string line(const Parts&... parts) {
    return tools::printable(text(parts...)) + "\n";
}

std::string device_line(const report& run) {
    const census& of = run.subject;
    if (!of.no_device.empty()) {
        return line("device   none: ", of.no_device);
    }
    if (!of.device_unknown.empty()) {
        return line("device   not known: ", of.device_unknown);
    }
    return line("device   ", run.device, " of ", of.device_count, ": ", of.device_name, "  (",
                of.device_driver, ")");
}

std::string heading(const report& run) {
    const census& of = run.subject;
    return line("plugin   ", of.name, " ", of.version, " by ", of.vendor, "  (", run.file, ")") +
           device_line(run);
}

std::string case_line(const judged_case& of) {
    std::string words = line(tools::pad(verdict_name(of.judged), 17), of.found.name);
    if (!of.found.message.empty()) {
        words += line("                 ", of.found.message);
    }
    if (!of.expectation.empty()) {
        words += line("                 expected: ", of.expectation);
    }
    return words;
}

std::string unused_line(const unused_expectation& of) {
    return line("unused expectation: \"", of.pattern, "\"",
                of.device.empty() ? std::string() : text(" on \"", of.device, "\""), ", ",
                of.reason, "  (", of.why, ")");
}

/// "skipped, because ...: names", one paragraph a reason, in the order of their first case.
std::string skipped_by_reason(const report& run) {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const judged_case& of : run.cases) {
        if (of.judged != verdict::skipped) {
            continue;
        }
        auto row = std::find_if(reasons.begin(), reasons.end(),
                                [&of](const auto& r) { return r.first == of.found.message; });
        if (row == reasons.end()) {
            row = reasons.insert(reasons.end(), {of.found.message, {}});
        }
        row->second.push_back(of.found.name);
    }
    std::string words;
    for (const auto& [reason, names] : reasons) {
        words += line("skipped (", names.size(), "): ", reason);
        std::string list;
        for (const std::string& name : names) {
            list += (list.empty() ? "" : " ") + name;
        }
        for (const std::string& line : tools::wrap(list, 92)) {
            words += "    " + line + "\n";
        }
    }
    return words;
}

}  // namespace

std::size_t report::count(verdict of) const {
    return static_cast<std::size_t>(
        std::count_if(cases.begin(), cases.end(),
                      [of](const judged_case& candidate) { return candidate.judged == of; }));
}

std::vector<result> report::results() const {
    std::vector<result> all;
    for (const judged_case& of : cases) {
        all.push_back(of.found);
    }
    return all;
}

int report::status() const {
    if (std::any_of(cases.begin(), cases.end(),
                    [](const judged_case& of) { return is_bad(of.judged); })) {
        return 1;
    }
    return subject.no_device.empty() ? 0 : 77;
}

std::string as_json(const report& run) {
    ordered_json sums;
    for (const verdict of : verdicts) {
        sums[verdict_name(of)] = run.count(of);
    }
    ordered_json cases = ordered_json::array();
    for (const judged_case& of : run.cases) {
        cases.push_back(describe_case(of));
    }
    ordered_json unused = ordered_json::array();
    for (const unused_expectation& of : run.unused) {
        unused.push_back(describe_unused(of));
    }
    const ordered_json document{
        {"schema", "spoc-conformance/1"},
        {"suite",
         {{"version", SPOC_VERSION_TEXT},
          {"abi", {{"major", SPOC_BE_ABI_MAJOR}, {"minor", SPOC_BE_ABI_MINOR}}}}},
        {"plugin", describe_plugin(run)},
        {"device", describe_device(run)},
        {"no_device", text_or_null(run.subject.no_device)},
        {"cases", cases},
        {"summary", sums},
        {"elapsed_ms", run.elapsed_ms},
        {"status", run.status()},
        {"device_unknown", text_or_null(run.subject.device_unknown)},
        {"unused_expectations", unused}};
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string as_text(const report& run, bool verbose) {
    std::string words = heading(run);
    for (const judged_case& of : run.cases) {
        const bool plain = of.judged == verdict::passed || of.judged == verdict::skipped;
        if (verbose || !plain) {
            words += case_line(of);
        }
    }
    words += verbose ? "" : skipped_by_reason(run);
    for (const unused_expectation& of : run.unused) {
        words += unused_line(of);
    }
    words += text(run.count(verdict::passed), " passed, ",
                  run.count(verdict::failed) + run.count(verdict::unexpected_pass), " failed");
    const std::pair<verdict, const char*> rest[] = {
        {verdict::expected_failure, " failed as expected"},
        {verdict::unsupported, " unsupported"},
        {verdict::skipped, " skipped"},
    };
    for (const auto& [of, name] : rest) {
        if (run.count(of) > 0 || of == verdict::skipped) {
            words += text(", ", run.count(of), name);
        }
    }
    return words + text(" in ", run.elapsed_ms / 1000, ".", run.elapsed_ms / 100 % 10, " s\n");
}

}  // namespace spoc::conformance
