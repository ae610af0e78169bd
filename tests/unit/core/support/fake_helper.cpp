// SPDX-License-Identifier: Apache-2.0

/// \file
/// Stands in for spoc-probe. The backend's name in its arguments says how it behaves.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "probe_wire.hpp"

namespace {

using namespace spoc::detail;

probe_record record_of(const char* const* arguments, bool complete) {
    probe_record record{};
    record.magic = probe_record_magic;
    record.bytes = sizeof record;
    record.complete = complete ? 1 : 0;
    record.info.size = sizeof record.info;
    record.info.stage = SPOC_STAGE_LOADED;
    record.info.native_code = getpid();
    std::strncpy(record.info.name, arguments[1], sizeof record.info.name - 1);
    return record;
}

void send(const void* bytes, std::size_t count) {
    for (const char* at = static_cast<const char*>(bytes); count > 0;) {
        const ssize_t written = write(probe_descriptor, at, count);
        if (written <= 0) {
            _exit(9);
        }
        at += written;
        count -= static_cast<std::size_t>(written);
    }
}

void send(const probe_record& record) { send(&record, sizeof record); }

[[noreturn]] void hang() {
    for (;;) {
        pause();
    }
}

bool is_null(int stream) {
    char name[32] = "";
    const std::string link = "/proc/self/fd/" + std::to_string(stream);
    return readlink(link.c_str(), name, sizeof name - 1) > 0 && std::strcmp(name, "/dev/null") == 0;
}

/// What a helper is started with, as a line.
std::string surroundings(const char* const* arguments) {
    std::string found = std::string(arguments[2]) + ' ' + arguments[3];
    found += std::to_string(getppid()) == arguments[4] ? " parent" : " stranger";
    found += is_null(0) && is_null(1) && is_null(2) ? " silent" : " loud";
    for (int fd = probe_descriptor + 1; fd < 256; ++fd) {
        if (fcntl(fd, F_GETFD) >= 0) {
            found += " open:" + std::to_string(fd);
        }
    }
    found += getpgrp() == getpid() ? " leader" : " follower";
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, nullptr, &blocked);
    struct sigaction action {};
    sigaction(SIGUSR1, nullptr, &action);
    found +=
        sigismember(&blocked, SIGUSR1) == 0 && action.sa_handler == SIG_DFL ? " default" : " odd";
    return found;
}

/// A process of the helper's group that would outlive it. Its number goes to the record.
void leave_child(probe_record& record) {
    const pid_t child = fork();
    if (child == 0) {
        hang();
    }
    record.info.elapsed_ns = static_cast<std::uint64_t>(child);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        return 2;
    }
    const std::string_view way = argv[1];
    probe_record progress = record_of(argv, false);
    probe_record last = record_of(argv, true);
    if (way == "answers" || way == "surroundings") {
        std::strncpy(last.info.message, surroundings(argv).c_str(), sizeof last.info.message - 1);
        send(progress);
        send(last);
    } else if (way == "exits_7") {
        return 7;
    } else if (way == "exits_0") {
        send(progress);
    } else if (way == "dies") {
        const rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        send(progress);
        static_cast<void>(signal(SIGSEGV, SIG_DFL));
        static_cast<void>(raise(SIGSEGV));
    } else if (way == "garbage") {
        const std::string bytes(20000, '\x42');
        send(bytes.data(), bytes.size());
    } else if (way == "half") {
        send(progress);
        send(&last, sizeof last / 2);
    } else if (way == "other_build") {
        last.bytes -= 8;
        send(last);
    } else if (way == "pieces") {
        for (std::size_t at = 0; at < sizeof last; at += 1000) {
            send(reinterpret_cast<const char*>(&last) + at,
                 sizeof last - at < 1000 ? sizeof last - at : 1000);
            usleep(1000);
        }
    } else if (way == "hangs") {
        send(progress);
        hang();
    } else if (way == "closes") {
        send(progress);
        close(probe_descriptor);
        hang();
    } else if (way == "answers_hangs") {
        send(last);
        hang();
    } else if (way == "floods") {
        // Several writers, so that the pipe is never found empty.
        for (int writer = 0; writer < 2; ++writer) {
            static_cast<void>(fork());
        }
        for (;;) {
            send(progress);
        }
    } else if (way == "leaves_child") {
        leave_child(last);
        send(last);
    } else if (way == "child_hangs") {
        leave_child(progress);
        send(progress);
        hang();
    }
    return 0;
}
