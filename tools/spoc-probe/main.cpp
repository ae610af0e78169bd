// SPDX-License-Identifier: Apache-2.0

/// \file
/// The helper that libspoc starts to probe one plugin: whatever the plugin or its driver does, only
/// this process is hit. Usage: spoc-probe NAME FILE STAGE PARENT, with a pipe at descriptor 3 that
/// takes the records of probe_wire.hpp.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "env.hpp"
#include "log.hpp"
#include "plugin.hpp"
#include "probe_wire.hpp"

namespace {

using namespace spoc::detail;

/// The pipe to the parent. Kept where drivers that close descriptors by number, or start programs,
/// are unlikely to meet it, and checked before each use: a driver's own file must not get a record.
class record_pipe {
 public:
    record_pipe() : fd_(fcntl(probe_descriptor, F_DUPFD_CLOEXEC, lowest)) {
        if (fd_ < 0 || fstat(fd_, &identity_) != 0 || !S_ISFIFO(identity_.st_mode)) {
            _exit(EXIT_FAILURE);
        }
        close(probe_descriptor);
    }

    void write(const spoc_backend_info& info, bool complete) const {
        probe_record record{};
        record.magic = probe_record_magic;
        record.bytes = sizeof record;
        record.complete = complete ? 1 : 0;
        record.info = info;
        const char* place = reinterpret_cast<const char*>(&record);
        for (std::size_t left = sizeof record; left > 0;) {
            const ssize_t written = is_mine() ? ::write(fd_, place, left) : -1;
            if (written < 0 && errno == EINTR && is_mine()) {
                continue;
            }
            if (written <= 0) {
                _exit(EXIT_FAILURE);  // nobody reads: the parent is gone, or the pipe was taken
            }
            place += written;
            left -= static_cast<std::size_t>(written);
        }
    }

 private:
    static constexpr int lowest = 200;

    bool is_mine() const {
        struct stat now {};
        return fstat(fd_, &now) == 0 && now.st_dev == identity_.st_dev &&
               now.st_ino == identity_.st_ino;
    }

    int fd_;
    struct stat identity_ {};
};

/// Dies with the parent, also when the parent is gone already.
void follow_parent(long parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
}

bool number_from(std::string_view text, long& out) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    return problem == std::errc{} && end == text.data() + text.size();
}

/// What this is, for somebody who found it.
int help() {
    static_cast<void>(std::fputs(
        "Probes one plugin for libspoc, in a process of its own.\n"
        "Usage: spoc-probe NAME FILE STAGE PARENT\n\n"
        "It is started by libspoc, with a pipe at descriptor 3, and of no use by itself.\n\n"
        "Options:\n"
        "  -h,--help                   print this text\n\n"
        "Exit status: 0 probed; 1 nobody reads the records; 2 not called as libspoc calls it.\n",
        stdout));
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

bool asks_for_help(int argc, char** argv) {
    const std::string_view word = argc == 2 ? argv[1] : "";
    return word == "-h" || word == "--help";
}

int usage() {
    static_cast<void>(std::fputs(
        "spoc-probe is started by libspoc and of no use by itself; see spoc-info.\n", stderr));
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (asks_for_help(argc, argv)) {
        return help();
    }
    long stage = 0;
    long parent = 0;
    if (argc != 5 || !number_from(argv[3], stage) || !number_from(argv[4], parent) ||
        stage < SPOC_STAGE_FILE || stage > SPOC_STAGE_OPENED ||
        fcntl(probe_descriptor, F_GETFD) < 0) {
        return usage();
    }
    follow_parent(parent);
    const record_pipe pipe;
    const settings config = settings::read();
    configure_log(config.get("SPOC_LOG"));
    plugin candidate(argv[1], argv[2], config);
    candidate.advance(static_cast<std::uint32_t>(stage),
                      [&pipe](const spoc_backend_info& info) { pipe.write(info, false); });
    pipe.write(candidate.info(), true);
    // Not exit: drivers' exit handlers have nothing to add, and some hang.
    _exit(EXIT_SUCCESS);
}
