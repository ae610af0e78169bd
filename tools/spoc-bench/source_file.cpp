// SPDX-License-Identifier: Apache-2.0
#include "source_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace spoc::bench {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int code) {
    throw std::runtime_error(std::string("Cannot ") + what + " '" + path +
                             "': " + std::generic_category().message(code) + ".");
}

/// Opens `path` for reading. Not blocking, since a FIFO would otherwise wait for a writer before it
/// can be refused.
int open_for_reading(const std::string& path) {
    int descriptor = -1;
    do {
        descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        fail("open", path, errno);
    }
    return descriptor;
}

const char* kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return "a directory";
        case S_IFIFO:
            return "a FIFO";
        case S_IFSOCK:
            return "a socket";
        case S_IFCHR:
        case S_IFBLK:
            return "a device";
        default:
            return "something else";
    }
}

struct stat status_of(int descriptor, const std::string& path) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
        fail("look at", path, errno);
    }
    return status;
}

/// Size of a file that can be loaded.
std::uint64_t loadable_bytes(int descriptor, const std::string& path) {
    const auto status = status_of(descriptor, path);
    if (!S_ISREG(status.st_mode)) {
        throw std::runtime_error("'" + path + "' is " + kind_of(status.st_mode) +
                                 ", not a regular file.");
    }
    if (status.st_size == 0) {
        throw std::runtime_error("'" + path + "' is empty: there is nothing to load.");
    }
    return static_cast<std::uint64_t>(status.st_size);
}

void expect_sequential_reads([[maybe_unused]] int descriptor) {
#if defined(POSIX_FADV_SEQUENTIAL)
    // Only advice: a file system that does not take it is no failure.
    static_cast<void>(::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL));
#endif
}

}  // namespace

source_file::source_file(std::string path)
    : path_(std::move(path)), descriptor_(open_for_reading(path_)) {
    try {
        bytes_ = loadable_bytes(descriptor_, path_);
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
    expect_sequential_reads(descriptor_);
}

source_file::~source_file() { ::close(descriptor_); }

std::uint64_t source_file::current_bytes() const {
    return static_cast<std::uint64_t>(status_of(descriptor_, path_).st_size);
}

void source_file::read(std::uint64_t offset, std::span<std::byte> destination) const {
    while (!destination.empty()) {
        const ssize_t got = ::pread(descriptor_, destination.data(), destination.size(),
                                    static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail("read", path_, errno);
        }
        if (got == 0) {
            throw std::runtime_error("'" + path_ + "' ends after " + std::to_string(offset) +
                                     " bytes, but had " + std::to_string(bytes_) +
                                     " bytes when it was opened: it shrank meanwhile.");
        }
        offset += static_cast<std::uint64_t>(got);
        destination = destination.subspan(static_cast<std::size_t>(got));
    }
}

}  // namespace spoc::bench
