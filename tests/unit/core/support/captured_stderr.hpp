// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace spoc::test {

/// Keeps what is written to stderr, in this process and in what it starts.
class captured_stderr {
 public:
    captured_stderr() : file_(std::tmpfile()), saved_(::dup(STDERR_FILENO)) {
        if (file_ == nullptr || saved_ < 0) {
            throw std::runtime_error("stderr cannot be captured");
        }
        static_cast<void>(std::fflush(stderr));
        ::dup2(::fileno(file_), STDERR_FILENO);
    }
    ~captured_stderr() {
        restore();
        static_cast<void>(std::fclose(file_));
    }
    captured_stderr(const captured_stderr&) = delete;
    captured_stderr& operator=(const captured_stderr&) = delete;

    /// What was written so far. Ends the capture, so that a failed check can be seen.
    std::string text() {
        restore();
        std::string read;
        std::rewind(file_);
        for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) {
            read.push_back(static_cast<char>(c));
        }
        return read;
    }

 private:
    void restore() {
        if (saved_ >= 0) {
            static_cast<void>(std::fflush(stderr));
            ::dup2(saved_, STDERR_FILENO);
            ::close(saved_);
            saved_ = -1;
        }
    }

    std::FILE* file_;
    int saved_;
};

}  // namespace spoc::test
