// SPDX-License-Identifier: Apache-2.0
#include "case_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "check.hpp"
#include "interruption.hpp"

namespace spoc::conformance {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How long what a case's process started may live on without counting as left behind: it may be
/// about to end by itself.
constexpr milliseconds grace{2000};
/// How often is looked whether a process has ended whose pipes stay open.
constexpr milliseconds look_again{50};
/// Of what is printed, more than this is not kept.
constexpr std::size_t most_text = std::size_t{1} << 20;

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

/// The child's half: ends with its parent, whatever ends that.
void depend_on(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    setpgid(0, 0);
}

/// The status of the child, if it has ended.
std::optional<int> status_of(pid_t child) {
    int status = 0;
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child) {
        return status;
    }
    return got < 0 && errno != EINTR ? std::optional(0) : std::nullopt;
}

/// Reads from the child's pipes, and takes its end.
class reader {
 public:
    reader(pid_t child, const channel& results, const channel& output, process_traces& found)
        : child_(child),
          found_(found),
          watched_{pollfd{results.ends[0], POLLIN, 0}, pollfd{output.ends[0], POLLIN, 0}} {}

    /// Until both pipes are closed, the time is up, or the child has ended and nothing is left to
    /// read: a pipe that is open even then is held by what the child started.
    void read_all(clock::time_point deadline) {
        clock::time_point last = deadline;
        while ((watched_[0].fd >= 0 || watched_[1].fd >= 0) && clock::now() < last) {
            const int ready =
                poll(watched_.data(), watched_.size(), static_cast<int>(look_again.count()));
            const bool has_ended = found_.status.has_value();
            if (!has_ended && (found_.status = status_of(child_))) {
                last = std::min(deadline, clock::now() + grace);
            }
            if (ready > 0) {
                read_ready();
            } else if (has_ended) {
                return;
            }
        }
    }

    /// Waits for the child's end.
    void wait(clock::time_point deadline) {
        while (!found_.status && !(found_.status = status_of(child_)) && clock::now() < deadline) {
            usleep(1000);
        }
    }

 private:
    void read_ready() {
        const std::array<std::string*, 2> texts{&found_.record, &found_.printed};
        for (std::size_t i = 0; i < watched_.size(); ++i) {
            if (watched_[i].fd < 0 || watched_[i].revents == 0) {
                continue;
            }
            std::array<char, 4096> piece{};
            const ssize_t got = read(watched_[i].fd, piece.data(), piece.size());
            if (got > 0 && texts[i]->size() < most_text) {
                texts[i]->append(piece.data(), static_cast<std::size_t>(got));
            } else if (got == 0 || (got < 0 && errno != EINTR)) {
                watched_[i].fd = -1;
            }
        }
    }

    pid_t child_;
    process_traces& found_;
    std::array<pollfd, 2> watched_;
};

/// The parent of a process; 0 when it is gone. The field behind its name, which may hold anything.
pid_t parent_of(const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    const std::size_t name_end = line.rfind(") ");
    constexpr std::size_t to_parent = 4;
    if (name_end == std::string::npos || name_end + to_parent > line.size()) {
        return 0;
    }
    pid_t parent = 0;
    std::from_chars(line.data() + name_end + to_parent, line.data() + line.size(), parent);
    return parent;
}

/// Processes whose parent this one is, by birth or because theirs has ended.
std::vector<pid_t> children() {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        pid_t process = 0;
        const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
        if (read.ec == std::errc{} && parent_of(entry.path()) == getpid()) {
            found.push_back(process);
        }
    }
    return found;
}

/// Takes the ends of processes until there is none any more, which is the result, or it is `last`.
/// Calls `meanwhile` each time that some are left.
template <typename Action>
bool await_all(clock::time_point last, Action meanwhile) {
    for (;;) {
        const pid_t got = waitpid(-1, nullptr, WNOHANG);
        if (got < 0 && errno == ECHILD) {
            return true;
        }
        if (got <= 0) {
            if (clock::now() >= last) {
                return false;
            }
            meanwhile();
            usleep(2000);
        }
    }
}

/// Whether something that the child started lives on. It is ended.
bool end_leftovers(pid_t child, milliseconds patience) {
    if (await_all(clock::now() + patience, [] {})) {
        return false;
    }
    kill(-child, SIGKILL);
    // What is ended here may leave children of its own to this process.
    await_all(clock::now() + grace, [] {
        for (const pid_t process : children()) {
            kill(process, SIGKILL);
        }
    });
    return true;
}

/// Forks. In the child, everything is ready for its action but the signals.
pid_t start(const channel& output) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
        fail("The suite could not make a process: ", std::strerror(errno));
    }
    if (child == 0) {
        depend_on(parent);
        dup2(output.ends[1], STDOUT_FILENO);
        dup2(output.ends[1], STDERR_FILENO);
    }
    return child;
}

}  // namespace

process_traces run_in_process(const std::function<int(int)>& action, milliseconds timeout) {
    // What loses its parent becomes a child of this process, where it can be found.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto deadline = clock::now() + timeout;
    channel results;
    channel output;
    std::optional<signals_held> held(std::in_place);
    const pid_t child = start(output);
    if (child == 0) {
        held.reset();
        std::exit(action(results.ends[1]));
    }
    setpgid(child, child);
    const interruption guard(child);
    held.reset();
    results.close_end(1);
    output.close_end(1);
    process_traces found;
    reader pipes(child, results, output, found);
    pipes.read_all(deadline);
    pipes.wait(deadline);
    if (!found.status) {
        kill(-child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    found.left_process = end_leftovers(child, found.status ? grace : milliseconds(0));
    return found;
}

}  // namespace spoc::conformance
