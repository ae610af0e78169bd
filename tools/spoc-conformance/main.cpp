// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "census.hpp"
#include "check.hpp"
#include "common/arguments.hpp"
#include "common/output.hpp"
#include "expectations.hpp"
#include "glob.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "runner.hpp"

namespace spoc::conformance {
namespace {

constexpr int exit_not_loadable = tools::exit_usage;

bool matches_any(const std::vector<std::string>& patterns, const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&name](const std::string& pattern) { return matches(pattern, name); });
}

void check_patterns(const case_list& cases, const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
        if (std::none_of(cases.begin(), cases.end(), [&pattern](const test_case& candidate) {
                return matches(pattern, candidate.name);
            })) {
            throw mistake("no case matches '" + pattern + "'; --list names them");
        }
    }
}

case_list wanted_cases(const options& wanted) {
    case_list cases = all_cases();
    check_patterns(cases, wanted.only);
    check_patterns(cases, wanted.exclude);
    std::erase_if(cases, [&wanted](const test_case& candidate) {
        return (!wanted.only.empty() && !matches_any(wanted.only, candidate.name)) ||
               matches_any(wanted.exclude, candidate.name);
    });
    if (cases.empty()) {
        throw mistake("--exclude leaves no case to run");
    }
    return cases;
}

int list_cases(const case_list& cases) {
    std::string names;
    for (const test_case& of : cases) {
        names += of.name + "\n";
    }
    return tools::write_stdout(program, names) ? 0 : tools::exit_output;
}

/// A plugin that hangs at every turn would take a case's time as often as there are cases.
class endurance {
 public:
    explicit endurance(const census& known) {
        if (known.device_stuck) {
            why_ended_ = text("Not tried: the plugin took all of the time when it was asked for ",
                              "its devices. ", known.device_unknown);
        }
    }

    /// Why no further case with a device is tried; empty: they are.
    const std::string& why_ended() const { return why_ended_; }

    void note(const result& found) {
        in_a_row_ = found.stuck ? in_a_row_ + 1 : 0;
        if (in_a_row_ == most && why_ended_.empty()) {
            why_ended_ = text("Not tried: the processes of ", most,
                              " cases in a row did not end, or left others behind; the last is ",
                              found.name, ".");
        }
    }

 private:
    static constexpr int most = 3;
    std::string why_ended_;
    int in_a_row_ = 0;
};

result untried(const std::string& name, outcome what, const std::string& why) {
    result made;
    made.name = name;
    made.what = what;
    made.message = why;
    return made;
}

result run_one(const test_case& of, const subject& subject, const census& known,
               const options& wanted, endurance& patience) {
    if (of.needs_device && !known.no_device.empty()) {
        return untried(of.name, outcome::skipped, known.no_device);
    }
    if (of.needs_device && !patience.why_ended().empty()) {
        return untried(of.name, outcome::failed, patience.why_ended());
    }
    result found =
        wanted.no_isolate ? run_here(of, subject) : run_isolated(of, subject, wanted.timeout);
    patience.note(found);
    return found;
}

void run_cases(report& run, const case_list& cases, const options& wanted,
               const expectations& expected) {
    const subject subject{run.file, wanted.device, wanted.stand_ins};
    endurance patience(run.subject);
    for (const test_case& of : cases) {
        show_progress(run.cases.size(), cases.size(), of.name);
        result found = run_one(of, subject, run.subject, wanted, patience);
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
    run.unused = expected.unused(run.results());
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
