// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>

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

/// A pipe that no program started by a driver inherits.
struct channel {
    channel() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) {
            fail("The suite could not make a pipe: ", std::strerror(errno));
        }
    }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    ~channel() {
        close_end(0);
        close_end(1);
    }
    void close_end(std::size_t which) {
        if (ends[which] >= 0) {
            close(ends[which]);
            ends[which] = -1;
        }
    }

    std::array<int, 2> ends{-1, -1};
};

[[noreturn]] void be_child(const test_case& wanted, const subject& subject, channel& results,
                           channel& output) {
    setpgid(0, 0);
    result_descriptor = results.ends[1];
    dup2(output.ends[1], STDOUT_FILENO);
    dup2(output.ends[1], STDERR_FILENO);
    const std::string record = judge(wanted, subject);
    if (result_descriptor >= 0) {
        // A case that should have left the process by itself and did not.
        if (wanted.how == ending::leaves && record.front() == mark_passed) {
            report(mark_failed + std::string("The case returned instead of ending the process."));
        } else {
            report(record);
        }
    }
    std::exit(record.front() == mark_failed ? 1 : 0);
}

/// Reads both pipes until both are closed or the time is up.
bool collect(channel& results, channel& output, std::string& record, std::string& printed,
             clock::time_point deadline) {
    std::array<pollfd, 2> watched{pollfd{results.ends[0], POLLIN, 0},
                                  pollfd{output.ends[0], POLLIN, 0}};
    const std::array<std::string*, 2> texts{&record, &printed};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
        if (left <= 0) {
            return false;
        }
        if (poll(watched.data(), watched.size(), static_cast<int>(std::min<long>(left, 1000))) <=
            0) {
            continue;
        }
        for (std::size_t i = 0; i < watched.size(); ++i) {
            if (watched[i].revents == 0) {
                continue;
            }
            std::array<char, 4096> piece{};
            const ssize_t got = read(watched[i].fd, piece.data(), piece.size());
            if (got > 0 && texts[i]->size() < std::size_t{1} << 20) {
                texts[i]->append(piece.data(), static_cast<std::size_t>(got));
            } else if (got == 0 || (got < 0 && errno != EINTR)) {
                watched[i].fd = -1;
            }
        }
    }
    return true;
}

/// Waits for the child until the time is up; empty: it is still there.
std::optional<int> wait_for(pid_t child, clock::time_point deadline) {
    for (;;) {
        int status = 0;
        const pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child) {
            return status;
        }
        if (got < 0 && errno != EINTR) {
            return 0;
        }
        if (clock::now() >= deadline) {
            return std::nullopt;
        }
        usleep(1000);
    }
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

result conclude(std::string record, const std::string& printed, std::optional<int> status) {
    result found;
    const char mark = record.empty() ? '\0' : record.front();
    found.message = record.empty() ? record : record.substr(1);
    const bool ended_well = status && *status == 0;
    if (mark == mark_failed) {
        return found;
    }
    const char* when = mark == '\0'           ? ""
                       : mark == mark_skipped ? "skipped, "
                                              : "passed, but at exit ";
    if (!status) {
        found.message = text("The case's process ", when, "did not end in time and was killed.");
    } else if (!ended_well) {
        found.message = text("The case's process ", when, how_it_ended(*status), ".");
    } else if (mark == '\0') {
        found.message = "The case's process ended without a result.";
    } else if (!printed.empty()) {
        found.message = "Something was printed: ";
    } else {
        found.what = mark == mark_passed ? outcome::passed : outcome::skipped;
        return found;
    }
    found.message += printed.empty() ? "" : " Printed: " + tail_of(printed);
    return found;
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
    channel results;
    channel output;
    const pid_t child = fork();
    if (child < 0) {
        fail("The suite could not make a process: ", std::strerror(errno));
    }
    if (child == 0) {
        be_child(wanted, subject, results, output);
    }
    setpgid(child, child);
    results.close_end(1);
    output.close_end(1);
    std::string record;
    std::string printed;
    const auto deadline = begin + timeout * wanted.patience;
    collect(results, output, record, printed, deadline);
    std::optional<int> status = wait_for(child, deadline);
    kill(-child, SIGKILL);
    if (!status) {
        wait_for(child, clock::time_point::max());
    }
    result found = conclude(record, printed, status);
    found.name = wanted.name;
    found.elapsed_ms = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin).count());
    return found;
}

result run_here(const test_case& wanted, const subject& subject) {
    const auto begin = clock::now();
    const std::string record =
        wanted.how == ending::leaves
            ? mark_skipped + std::string("It ends its process, and --no-isolate gives it none.")
            : judge(wanted, subject);
    const char mark = record.front();
    return {
        wanted.name,
        mark == mark_passed    ? outcome::passed
        : mark == mark_skipped ? outcome::skipped
                               : outcome::failed,
        record.substr(1),
        static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin).count())};
}

}  // namespace spoc::conformance
