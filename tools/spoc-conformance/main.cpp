// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "cases.hpp"
#include "census.hpp"
#include "common/arguments.hpp"
#include "common/output.hpp"
#include "expectations.hpp"
#include "glob.hpp"
#include "options.hpp"
#include "report.hpp"
#include "runner.hpp"

namespace spoc::conformance {
namespace {

constexpr int exit_not_loadable = tools::exit_usage;

bool is_wanted(const options& wanted, const std::string& name) {
    return wanted.only.empty() ||
           std::any_of(wanted.only.begin(), wanted.only.end(),
                       [&name](const std::string& pattern) { return matches(pattern, name); });
}

case_list wanted_cases(const options& wanted) {
    case_list cases = all_cases();
    for (const std::string& pattern : wanted.only) {
        if (std::none_of(cases.begin(), cases.end(), [&pattern](const test_case& candidate) {
                return matches(pattern, candidate.name);
            })) {
            throw mistake("no case matches '" + pattern + "'; --list names them");
        }
    }
    std::erase_if(cases, [&wanted](const test_case& candidate) {
        return !is_wanted(wanted, candidate.name);
    });
    return cases;
}

int list_cases(const case_list& cases) {
    std::string names;
    for (const test_case& of : cases) {
        names += of.name + "\n";
    }
    return tools::write_stdout(program, names) ? 0 : tools::exit_output;
}

result run_one(const test_case& of, const subject& subject, const census& known,
               const options& wanted) {
    if (of.needs_device && !known.no_device.empty()) {
        return {of.name, outcome::skipped, known.no_device, 0};
    }
    return wanted.no_isolate ? run_here(of, subject) : run_isolated(of, subject, wanted.timeout);
}

/// Tells a person at a terminal how far the run is.
void show_progress(std::size_t done, std::size_t all, const std::string& name) {
    if (tools::is_terminal(2)) {
        std::cerr << "\r\033[K";
        if (done < all) {
            std::cerr << done << "/" << all << " " << name << std::flush;
        }
    }
}

void run_cases(report& run, const case_list& cases, const options& wanted,
               const expectations& expected) {
    const subject subject{run.file, wanted.device, wanted.stand_ins};
    for (const test_case& of : cases) {
        show_progress(run.cases.size(), cases.size(), of.name);
        result found = run_one(of, subject, run.subject, wanted);
        const verdict judged = expected.judge(found);
        std::string reason = expected.reason_of(of.name);
        run.cases.push_back({std::move(found), judged, std::move(reason)});
        if (wanted.no_isolate && judged == verdict::failed) {
            break;
        }
    }
    show_progress(cases.size(), cases.size(), {});
}

int judge_plugin(const options& wanted, const case_list& cases) {
    report run;
    run.file = std::filesystem::absolute(wanted.plugin).lexically_normal().string();
    run.device = wanted.device;
    const auto begin = std::chrono::steady_clock::now();
    run.subject = take_census(run.file, wanted.device, wanted.timeout);
    if (!run.subject.not_loadable.empty()) {
        tools::tell(program, run.file + " cannot be judged: " + run.subject.not_loadable);
        return exit_not_loadable;
    }
    const expectations expected =
        wanted.expect.empty() ? expectations()
                              : expectations(wanted.expect, all_cases(), run.subject.device_name);
    run_cases(run, cases, wanted, expected);
    run.elapsed_ms =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::chrono::steady_clock::now() - begin)
                                       .count());
    const std::string words = wanted.json ? as_json(run) : as_text(run, wanted.verbose);
    return tools::write_stdout(program, words) ? run.status() : tools::exit_output;
}

int run(int argc, const char* const* argv) {
    try {
        const command_line line = read_command_line(argc, argv);
        if (line.answer) {
            return tools::write_stdout(program, *line.answer) ? 0 : tools::exit_output;
        }
        const case_list cases = wanted_cases(line.wanted);
        return line.wanted.list ? list_cases(cases) : judge_plugin(line.wanted, cases);
    } catch (const mistake& wrong) {
        return tools::report_usage(program, wrong.what());
    } catch (const bad_expectations& wrong) {
        return tools::report_usage(program, wrong.what());
    }
}

}  // namespace
}  // namespace spoc::conformance

int main(int argc, char** argv) {
    try {
        spoc::tools::claim_standard_streams();
        spoc::tools::leave(spoc::conformance::run(argc, argv));
    } catch (const std::exception& error) {
        static_cast<void>(
            std::fprintf(stderr, "%s: %s\n", spoc::conformance::program, error.what()));
        return 1;
    }
}
