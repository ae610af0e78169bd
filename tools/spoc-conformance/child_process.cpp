// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "check.hpp"

namespace spoc::conformance {
namespace {

constexpr unsigned most_seconds = 30;

[[noreturn]] void be_child(const std::function<void()>& action, int words) {
    alarm(most_seconds);
    int status = 0;
    try {
        action();
    } catch (const std::exception& error) {
        status = 1;
        if (write(words, error.what(), std::strlen(error.what())) < 0) {
            status = 2;
        }
    }
    close(words);
    std::exit(status);
}

std::string read_all(int descriptor) {
    std::string all;
    std::array<char, 512> piece{};
    for (;;) {
        const ssize_t got = read(descriptor, piece.data(), piece.size());
        if (got > 0) {
            all.append(piece.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            return all;
        }
    }
}

}  // namespace

child_process::child_process(const std::function<void()>& action) {
    std::array<int, 2> ends{};
    require(pipe2(ends.data(), O_CLOEXEC) == 0,
            "The suite could not make a pipe: ", std::strerror(errno), ".");
    process_ = fork();
    require(process_ >= 0, "The suite could not fork: ", std::strerror(errno), ".");
    if (process_ == 0) {
        close(ends[0]);
        be_child(action, ends[1]);
    }
    close(ends[1]);
    words_ = ends[0];
}

child_process::~child_process() {
    if (words_ >= 0) {
        close(words_);
    }
}

void child_process::expect_success(const std::string& what) {
    const std::string words = read_all(words_);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    require(words.empty(), what, " found: ", words);
    require(!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM, what, " did not end within ",
            most_seconds, " seconds.");
    require(!WIFSIGNALED(status), what, " was ended by signal ", WTERMSIG(status), ".");
    require(WEXITSTATUS(status) == 0, what, " exited with status ", WEXITSTATUS(status), ".");
}

}  // namespace spoc::conformance
