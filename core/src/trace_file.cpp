// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace spoc::detail {
namespace {

constexpr std::string_view document_end = "\n]}\n";

std::string reason(int number) { return std::generic_category().message(number); }

/// A descriptor that is closed at the end.
class descriptor {
 public:
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    int get() const noexcept { return number_; }

 private:
    int number_;
};

/// Only a regular file can be written at a place.
bool is_regular(int file) {
    struct stat found {};
    return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

/// 0, or the system's number.
int write_all(int file, std::string_view text, std::uint64_t at) {
    while (!text.empty()) {
        const ssize_t written = ::pwrite(file, text.data(), text.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written == 0 ? EIO : errno;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
        at += static_cast<std::uint64_t>(written);
    }
    return 0;
}

}  // namespace

std::string trace_file::start(const std::string& path, std::string_view event) {
    std::error_code unknown;
    path_ = std::filesystem::absolute(path, unknown).string();
    if (unknown) {
        return unknown.message();
    }
    end_ = 0;
    return write(std::string("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n").append(event),
                 O_CREAT | O_TRUNC);
}

std::string trace_file::append(std::string_view events) { return write(events, 0); }

std::string trace_file::write(std::string_view text, int flags) {
    // Not blocking: a pipe that nobody reads would hold the program up.
    const descriptor file(
        ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666));
    if (file.get() < 0) {
        return reason(errno);
    }
    if (!is_regular(file.get())) {
        return "not a regular file";
    }
    const std::string whole = std::string(text).append(document_end);
    if (const int failed = write_all(file.get(), whole, end_); failed != 0) {
        return reason(failed);
    }
    end_ += text.size();
    return {};
}

}  // namespace spoc::detail
