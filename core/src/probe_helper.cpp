// SPDX-License-Identifier: Apache-2.0
#include "probe_helper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "codes.hpp"
#include "env.hpp"
#include "probe_wire.hpp"
#include "text.hpp"

extern "C" char** environ;

namespace spoc::detail {
namespace {

using clock = std::chrono::steady_clock;

/// A file descriptor that is closed at the end of its scope.
class owned_descriptor {
 public:
    explicit owned_descriptor(int fd = -1) noexcept : fd_(fd) {}
    ~owned_descriptor() { reset(); }
    owned_descriptor(const owned_descriptor&) = delete;
    owned_descriptor& operator=(const owned_descriptor&) = delete;
    int get() const noexcept { return fd_; }
    void reset() noexcept {
        if (fd_ >= 0) {
            ::close(std::exchange(fd_, -1));
        }
    }

 private:
    int fd_;
};

/// Attributes and file actions of a spawn, freed at the end of their scope.
struct spawn_plan {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;

    spawn_plan() {
        posix_spawnattr_init(&attributes);
        posix_spawn_file_actions_init(&actions);
    }
    ~spawn_plan() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    spawn_plan(const spawn_plan&) = delete;
    spawn_plan& operator=(const spawn_plan&) = delete;
};

/// A process group of its own, default signals, silent standard streams, the pipe as
/// `probe_descriptor`, nothing else open.
void prepare(spawn_plan& plan, int pipe_end) {
    sigset_t every;
    sigset_t none;
    sigfillset(&every);
    sigemptyset(&none);
    posix_spawnattr_setflags(
        &plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&plan.attributes, 0);
    posix_spawnattr_setsigdefault(&plan.attributes, &every);
    posix_spawnattr_setsigmask(&plan.attributes, &none);
    posix_spawn_file_actions_adddup2(&plan.actions, pipe_end, probe_descriptor);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&plan.actions, stream, "/dev/null", O_RDWR, 0);
    }
    posix_spawn_file_actions_addclosefrom_np(&plan.actions, probe_descriptor + 1);
}

/// The environment for the helper. A privileged process hands on none of our settings: the helper
/// may run unprivileged and would believe them.
std::vector<char*> helper_environment() {
    std::vector<char*> result;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        if (!process_is_secure() || std::strncmp(*variable, "SPOC_", 5) != 0) {
            result.push_back(*variable);
        }
    }
    result.push_back(nullptr);
    return result;
}

int spawn(const std::string& helper, const spoc_backend_info& candidate, std::uint32_t stage,
          int pipe_end, pid_t& out_pid) {
    spawn_plan plan;
    prepare(plan, pipe_end);
    std::array<std::string, 5> words = {helper, std::string(field_text(candidate.name)),
                                        std::string(field_text(candidate.file)),
                                        std::to_string(stage), std::to_string(getpid())};
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    return posix_spawn(&out_pid, helper.c_str(), &plan.actions, &plan.attributes, arguments.data(),
                       helper_environment().data());
}

int milliseconds_until(clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

/// Collects records from the helper's pipe; the last whole one counts.
class record_reader {
 public:
    /// Reads what is there. False at the end of the stream.
    bool read_some(int fd) {
        std::array<char, 16384> piece{};
        const ssize_t got = ::read(fd, piece.data(), piece.size());
        if (got > 0) {
            bytes_.insert(bytes_.end(), piece.data(), piece.data() + got);
            take_whole_records();
            return true;
        }
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    }
    const std::optional<probe_record>& last() const noexcept { return last_; }
    bool complete() const noexcept { return last_ && last_->complete == 1; }

 private:
    void take_whole_records() {
        while (bytes_.size() >= sizeof(probe_record)) {
            probe_record record{};
            std::memcpy(&record, bytes_.data(), sizeof record);
            bytes_.erase(bytes_.begin(), bytes_.begin() + sizeof record);
            if (record.magic == probe_record_magic && record.bytes == sizeof record) {
                last_ = record;
            }
        }
    }
    std::vector<char> bytes_;
    std::optional<probe_record> last_;
};

/// Whether the leader has ended; it stays a zombie, so that its group can still be named. An
/// application that reaps every child leaves nothing to ask about; then the report decides.
bool has_ended(pid_t pid, siginfo_t& out_info) {
    out_info = {};
    while (waitid(P_PID, static_cast<id_t>(pid), &out_info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        if (errno != EINTR) {
            return true;
        }
    }
    return out_info.si_pid == pid;
}

/// Takes what is in the pipe without waiting: the last record may have come with the helper's end.
void drain(int fd, record_reader& records) {
    pollfd readable = {fd, POLLIN, 0};
    while (poll(&readable, 1, 0) > 0 && records.read_some(fd)) {
    }
}

/// Reads records until the helper has ended or the time is up. Returns whether it ended by itself.
bool follow(int fd, pid_t pid, clock::time_point deadline, record_reader& records,
            siginfo_t& out_info) {
    // Without pidfd (before Linux 5.3) the helper's end is noticed by looking now and then.
    const owned_descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    constexpr int look_every_ms = 10;
    bool stream_open = true;
    while (clock::now() < deadline) {
        std::array<pollfd, 2> watched = {pollfd{stream_open ? fd : -1, POLLIN, 0},
                                         pollfd{process.get(), POLLIN, 0}};
        const int left = milliseconds_until(deadline);
        const int nap = process.get() >= 0 ? left : std::min(left, look_every_ms);
        if (poll(watched.data(), watched.size(), nap) < 0 && errno != EINTR) {
            return false;
        }
        if (stream_open && (watched[0].revents & (POLLIN | POLLHUP)) != 0) {
            stream_open = records.read_some(fd);
        } else if (has_ended(pid, out_info)) {
            drain(fd, records);
            return true;
        }
    }
    return false;
}

/// Ends the whole group while its leader is still there to name it, and takes the leader away. A
/// process that the kernel cannot kill (stuck in a driver) is left behind after a moment rather
/// than waited for.
void end_group(pid_t pid) {
    kill(-pid, SIGKILL);
    constexpr std::chrono::seconds patience{2};
    const auto deadline = clock::now() + patience;
    siginfo_t info{};
    while (!has_ended(pid, info) && clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    while (waitpid(pid, nullptr, WNOHANG) < 0 && errno == EINTR) {
    }
}

std::string how_it_ended(const siginfo_t& info) {
    if (info.si_pid == 0) {
        return "ended before it had reported (how is not known, since this application ignores "
               "SIGCHLD or reaps every child)";
    }
    if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED) {
        const char* name = sigabbrev_np(info.si_status);
        return say("was ended by signal SIG",
                   name == nullptr ? std::to_string(info.si_status) : name);
    }
    return say("ended with status ", info.si_status, " before it had reported");
}

spoc_backend_info failed(spoc_backend_info record, std::uint32_t reason, std::string_view message) {
    record.reason = reason;
    record.state = state_of_reason(reason);
    copy_text(record.message, message);
    copy_text(record.hint, spoc_reason_hint(reason));
    return record;
}

std::string error_text(int number) { return std::strerror(number); }

std::string during(const spoc_backend_info& record) {
    return say("after stage ", spoc_stage_name(record.stage));
}

/// A probe may not be cancelled half-way: the helper would be left behind, and the cancellation
/// would end in a function that may not throw.
class cancellation_off {
 public:
    cancellation_off() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~cancellation_off() { pthread_setcancelstate(before_, nullptr); }
    cancellation_off(const cancellation_off&) = delete;
    cancellation_off& operator=(const cancellation_off&) = delete;

 private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

/// The helper is at fault, not the plugin.
spoc_backend_info not_started(const spoc_backend_info& candidate, std::string_view message) {
    spoc_backend_info record = failed(candidate, SPOC_BE_REASON_INTERNAL, message);
    copy_text(record.hint, "install spoc-probe beside libspoc, or probe without isolation");
    return record;
}

}  // namespace

spoc_backend_info probe_in_helper(const std::string& helper, const spoc_backend_info& candidate,
                                  std::uint32_t stage, std::chrono::milliseconds time_out) {
    const cancellation_off guard;
    if (helper.empty()) {
        return not_started(candidate,
                           "The directory of libspoc, and with it the probe helper, "
                           "cannot be told.");
    }
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return not_started(candidate,
                           say("There is no pipe for the probe helper: ", error_text(errno), "."));
    }
    owned_descriptor read_end(ends[0]);
    owned_descriptor write_end(ends[1]);
    const auto start = clock::now();
    pid_t pid = -1;
    if (const int problem = spawn(helper, candidate, stage, write_end.get(), pid); problem != 0) {
        return not_started(candidate,
                           say("The probe helper ", helper, " cannot be started, or ",
                               "/dev/null cannot be opened for it: ", error_text(problem), "."));
    }
    write_end.reset();
    record_reader records;
    siginfo_t info{};
    const bool ended = follow(read_end.get(), pid, start + time_out, records, info);
    end_group(pid);
    if (records.complete()) {
        return records.last()->info;
    }
    const spoc_backend_info reached = records.last() ? records.last()->info : candidate;
    if (!ended) {
        return failed(reached, SPOC_BE_REASON_PROBE_TIMEOUT,
                      say("The plugin's probe did not end within ", time_out.count(), " ms, ",
                          during(reached), "."));
    }
    return failed(
        reached, SPOC_BE_REASON_PROBE_CRASHED,
        say("The process that probed the plugin ", how_it_ended(info), ", ", during(reached), "."));
}

}  // namespace spoc::detail
