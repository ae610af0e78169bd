// SPDX-License-Identifier: Apache-2.0
#include "run_command.hpp"

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <spoc/spoc.hpp>

#include "bench_case.hpp"
#include "chosen_devices.hpp"
#include "common/arguments.hpp"
#include "common/output.hpp"
#include "exit_status.hpp"
#include "run_report.hpp"

namespace spoc::bench {
namespace {

/// A thread that does nothing: in a process with one thread the C library leaves out what makes
/// locks and counters safe, and everything would look cheaper than it is in a program.
class second_thread {
 public:
    second_thread() = default;
    second_thread(const second_thread&) = delete;
    second_thread& operator=(const second_thread&) = delete;
    ~second_thread() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        ended_.notify_one();
    }

 private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::jthread thread_{[this] {
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [this] { return over_; });
    }};
};

/// False when stdout cannot be written.
bool run_case(const bench_case& one, const bench_place& place, bool json, run_report& report) {
    const std::string selector(place.where.selector());
    const std::vector<contest> contests = one.contests(place);
    if (contests.empty()) {
        report.skipped.push_back(std::string(one.name) + ": " + selector +
                                 " lacks what it is about.");
        tools::tell(program_name, report.skipped.back());
    }
    for (const contest& subject : contests) {
        const contest_figures figures = measure(subject);
        report.rows.push_back({one.name, selector, subject, figures, verdict(subject, figures)});
        report.rows.back().subject.raw = {};  // what they hold ends here
        report.rows.back().subject.spoc = {};
        if (!json && !tools::write_stdout(program_name, describe_row(report.rows.back()))) {
            return false;
        }
    }
    return true;
}

int run_everywhere(const run_options& options, run_report& report) {
    const std::vector<const bench_case*> cases = find_cases(options.names);
    const runtime running(careful_start());
    const second_thread alive;
    for (const device& where : chosen_devices(options.devices)) {
        const raw_backend raw(where);
        if (!options.json && !tools::write_stdout(program_name, std::string(where.selector()) +
                                                                    "\n" + run_heading())) {
            return tools::exit_output;
        }
        for (const bench_case* one : cases) {
            if (!run_case(*one, {where, raw}, options.json, report)) {
                return tools::exit_output;
            }
        }
    }
    return report.rows.empty() ? exit_no_device : exit_ok;
}

int fail(run_report& report, const std::string& message, int status) {
    report.error = message;
    tools::tell(program_name, message);
    return status;
}

int run_and_catch(const run_options& options, run_report& report) {
    try {
        return run_everywhere(options, report);
    } catch (const no_device& reason) {
        return fail(report, reason.what(), exit_no_device);
    } catch (const std::invalid_argument& mistake) {
        return fail(report, mistake.what(), tools::exit_usage);
    } catch (const invalid_argument& mistake) {
        return fail(report, mistake.what(), tools::exit_usage);
    } catch (const std::exception& reason) {
        return fail(report, reason.what(), exit_failed);
    }
}

}  // namespace

int run_benchmarks(const run_options& options) {
    run_report report;
    const int status = run_and_catch(options, report);
    if (options.json && !tools::write_stdout(program_name, json_document(report))) {
        return tools::exit_output;
    }
    return status;
}

}  // namespace spoc::bench
