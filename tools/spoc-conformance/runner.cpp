// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>

#include "case_process.hpp"
#include "check.hpp"
#include "common/text.hpp"

namespace spoc::conformance {
namespace {

using clock = std::chrono::steady_clock;

/// First byte of what the child writes; its message follows.
constexpr char mark_passed = 'P';
constexpr char mark_failed = 'F';
constexpr char mark_skipped = 'S';

/// Where the child of an isolated case writes its result; -1 in any other process.
int result_descriptor = -1;

std::uint64_t milliseconds_since(clock::time_point begin) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin).count());
}

std::string judge(const test_case& wanted, const subject& subject) {
    try {
        wanted.run(subject);
        return {mark_passed};
    } catch (const skipped& reason) {
        return mark_skipped + std::string(reason.what());
    } catch (const failure& reason) {
        return mark_failed + std::string(reason.what());
    } catch (const std::exception& error) {
        return mark_failed + text("The case ended with an exception: ", error.what());
    } catch (...) {
        return mark_failed + std::string("The case ended with an exception of no known type.");
    }
}

void write_all(int descriptor, std::string_view data) {
    while (!data.empty()) {
        const ssize_t written = write(descriptor, data.data(), data.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            _exit(125);
        }
        data.remove_prefix(static_cast<std::size_t>(written));
    }
}

void report(std::string_view record) {
    write_all(result_descriptor, record);
    close(result_descriptor);
    result_descriptor = -1;
}

/// The child's part: runs the case, writes its result and returns the exit status.
int judge_and_report(const test_case& wanted, const subject& subject, int descriptor) {
    result_descriptor = descriptor;
    const std::string record = judge(wanted, subject);
    if (result_descriptor >= 0) {
        // A case that should have left the process by itself and did not.
        if (wanted.how == ending::leaves && record.front() == mark_passed) {
            report(mark_failed + std::string("The case returned instead of ending the process."));
        } else {
            report(record);
        }
    }
    return record.front() == mark_failed ? 1 : 0;
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) {
        return text("was ended by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
                    ")");
    }
    return text("exited with status ", WEXITSTATUS(status));
}

/// The last words of what a process printed, as one line.
std::string tail_of(const std::string& printed) {
    constexpr std::size_t most = 2000;
    const std::string tail =
        printed.size() > most ? "..." + printed.substr(printed.size() - most) : printed;
    return tools::printable(tail);
}

/// What is wrong with how the process of a case ended that did not fail by itself; empty: nothing.
std::string trouble_at_end(char mark, const process_traces& found) {
    const char* when = mark == '\0'           ? ""
                       : mark == mark_skipped ? "skipped, "
                                              : "passed, but at exit ";
    if (!found.status) {
        return text("The case's process ", when, "did not end in time and was killed.");
    }
    if (*found.status != 0) {
        return text("The case's process ", when, how_it_ended(*found.status), ".");
    }
    if (mark == '\0') {
        return "The case's process ended without a result.";
    }
    return found.left_process ? "The case's process left a process behind, which was ended." : "";
}

result conclude(const process_traces& found) {
    result made;
    const char mark = found.record.empty() ? '\0' : found.record.front();
    made.message = found.record.empty() ? found.record : found.record.substr(1);
    made.skip_reason = mark == mark_skipped ? made.message : "";
    made.stuck = !found.status || found.left_process;
    if (mark == mark_failed) {
        return made;
    }
    const std::string trouble = trouble_at_end(mark, found);
    if (trouble.empty() && found.printed.empty()) {
        made.what = mark == mark_passed ? outcome::passed : outcome::skipped;
        return made;
    }
    made.message = trouble;
    if (!found.printed.empty()) {
        made.message +=
            (trouble.empty() ? "Something was printed: " : " Printed: ") + tail_of(found.printed);
    }
    return made;
}

}  // namespace

void leaving() {
    if (result_descriptor >= 0) {
        report({&mark_passed, 1});
    }
}

result run_isolated(const test_case& wanted, const subject& subject,
                    std::chrono::milliseconds timeout) {
    const auto begin = clock::now();
    const process_traces found = run_in_process(
        [&](int descriptor) { return judge_and_report(wanted, subject, descriptor); },
        timeout * wanted.patience);
    result made = conclude(found);
    made.name = wanted.name;
    made.elapsed_ms = milliseconds_since(begin);
    return made;
}

result run_here(const test_case& wanted, const subject& subject) {
    const auto begin = clock::now();
    const std::string record =
        wanted.how == ending::leaves
            ? mark_skipped + std::string("It ends its process, and --no-isolate gives it none.")
            : judge(wanted, subject);
    const char mark = record.front();
    result made;
    made.name = wanted.name;
    made.what = mark == mark_passed    ? outcome::passed
                : mark == mark_skipped ? outcome::skipped
                                       : outcome::failed;
    made.message = record.substr(1);
    made.elapsed_ms = milliseconds_since(begin);
    return made;
}

}  // namespace spoc::conformance
