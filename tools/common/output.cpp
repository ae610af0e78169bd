// SPDX-License-Identifier: Apache-2.0
#include "common/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/text.hpp"

namespace spoc::tools {
namespace {

/// Ignores SIGPIPE while it lives. Not for the whole program: an ignored signal would be inherited
/// by child processes.
class sigpipe_ignored {
 public:
    sigpipe_ignored() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &ignore, &before_);
    }
    sigpipe_ignored(const sigpipe_ignored&) = delete;
    sigpipe_ignored& operator=(const sigpipe_ignored&) = delete;
    ~sigpipe_ignored() { sigaction(SIGPIPE, &before_, nullptr); }

 private:
    struct sigaction before_ {};
};

/// Writes everything; 0, or the error number.
int write_all(int descriptor, std::string_view data) {
    while (!data.empty()) {
        const ssize_t written = write(descriptor, data.data(), data.size());
        if (written > 0) {
            data.remove_prefix(static_cast<std::size_t>(written));
        } else if (written < 0 && errno == EAGAIN) {
            // Whoever made the descriptor non-blocking, it is shared with us.
            struct pollfd ready {
                descriptor, POLLOUT, 0
            };
            poll(&ready, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/// Where data goes: what was stdout when the program began.
int& data_descriptor() {
    static int descriptor = STDOUT_FILENO;
    return descriptor;
}

/// Where talk goes.
int& talk_descriptor() {
    static int descriptor = STDERR_FILENO;
    return descriptor;
}

/// Keeps stdout for this program's data: a driver that prints writes to stderr from now on.
void keep_stdout_for_data() {
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept != -1 && dup2(STDERR_FILENO, STDOUT_FILENO) != -1) {
        data_descriptor() = kept;
    }
}

bool set_and_not_empty(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

}  // namespace

void claim_standard_streams() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            // The wrong way round on purpose: reading stdin, or writing stdout, fails as it did
            // while it was closed.
            const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
            // The lowest free number is the one that was found closed.
            if (open("/dev/null", mode) == -1) {
                return;
            }
        }
    }
    keep_stdout_for_data();
}

void drop_foreign_talk() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (nowhere == -1 || kept == -1) {
        return;
    }
    talk_descriptor() = kept;
    // What was stdout is kept already, and its number belongs to whoever prints.
    static_cast<void>(dup2(nowhere, STDOUT_FILENO));
    static_cast<void>(dup2(nowhere, STDERR_FILENO));
}

void leave(int status) {
#if defined(__SANITIZE_ADDRESS__)
    std::exit(status);  // leaks are looked for at exit
#else
    _exit(status);
#endif
}

void tell(std::string_view program, std::string_view line) {
    const std::string text = std::string(program) + ": " + printable(line) + "\n";
    // Where even stderr is closed, there is nobody to tell.
    static_cast<void>(write_all(talk_descriptor(), text));
}

bool write_stdout(std::string_view program, std::string_view data) {
    const sigpipe_ignored guard;
    const int failure = write_all(data_descriptor(), data);
    if (failure != 0) {
        tell(program, std::string("stdout cannot be written: ") + std::strerror(failure));
    }
    return failure == 0;
}

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

bool is_dumb() {
    const char* terminal = std::getenv("TERM");
    return terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
}

bool colour_wanted(colour_mode mode) {
    if (mode != colour_mode::automatic) {
        return mode == colour_mode::always;
    }
    return is_terminal(data_descriptor()) && !is_dumb() && !set_and_not_empty("NO_COLOR");
}

std::size_t terminal_width(std::size_t otherwise) {
    struct winsize size {};
    if (!is_terminal(data_descriptor()) || ioctl(data_descriptor(), TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0) {
        return otherwise;
    }
    return size.ws_col;
}

}  // namespace spoc::tools
