// SPDX-License-Identifier: Apache-2.0
#include "program_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "sha256.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

/// First bytes of a file; another layout gets another number.
constexpr std::string_view magic = "SPOC program 1\n";

/// An open file, closed at the end of its scope.
class open_file {
 public:
    explicit open_file(int descriptor) noexcept : descriptor_(descriptor) {}
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    int get() const noexcept { return descriptor_; }
    bool is_open() const noexcept { return descriptor_ >= 0; }

 private:
    const int descriptor_;
};

/// Whether a file holds what this user wrote: what another one can write would run on a device in
/// this user's name.
bool is_trusted(const struct stat& found) noexcept {
    return S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string read_whole(const std::string& path) {
    const open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat found {};
    if (!file.is_open() || ::fstat(file.get(), &found) != 0 || !is_trusted(found)) {
        return {};
    }
    std::string whole(static_cast<std::size_t>(found.st_size), '\0');
    std::size_t done = 0;
    while (done < whole.size()) {
        const ssize_t got = ::read(file.get(), whole.data() + done, whole.size() - done);
        if (got <= 0) {
            return {};
        }
        done += static_cast<std::size_t>(got);
    }
    return whole;
}

bool write_whole(int file, std::string_view whole) noexcept {
    while (!whole.empty()) {
        const ssize_t written = ::write(file, whole.data(), whole.size());
        if (written <= 0) {
            return false;
        }
        whole.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string_view view_of(const sha256_digest& digest) noexcept {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// What comes before the value in a file.
std::string head_of(const cache_key& key) {
    cache_key head;
    head.add(key.text());
    return std::string(magic) + head.text();
}

/// A name beside `path` that nobody else writes to.
std::string temporary_beside(const std::string& path) {
    static std::atomic<std::uint64_t> last{0};
    return say(path, '.', ::getpid(), '.', last.fetch_add(1));
}

}  // namespace

cache_key& cache_key::add(std::string_view field) {
    add(std::uint64_t{field.size()});
    text_.append(field);
    return *this;
}

cache_key& cache_key::add(std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
        text_.push_back(static_cast<char>(number >> shift & 0xFFU));
    }
    return *this;
}

std::string program_cache::path_of(const cache_key& key) const {
    return directory_ + '/' + hexadecimal(sha256(key.text()));
}

std::optional<std::string> program_cache::read(const cache_key& key) const noexcept {
    if (directory_.empty()) {
        return std::nullopt;
    }
    try {
        std::string whole = read_whole(path_of(key));
        const std::string head = head_of(key);
        constexpr std::size_t digest_bytes = std::tuple_size_v<sha256_digest>;
        if (whole.size() < head.size() + digest_bytes || !whole.starts_with(head)) {
            return std::nullopt;
        }
        const std::string_view body =
            std::string_view(whole).substr(0, whole.size() - digest_bytes);
        if (std::string_view(whole).substr(body.size()) != view_of(sha256(body))) {
            return std::nullopt;
        }
        return std::string(body.substr(head.size()));
    } catch (const std::exception&) {
        // No memory for it.
        return std::nullopt;
    }
}

void program_cache::write(const cache_key& key, std::string_view value) const noexcept {
    if (directory_.empty()) {
        return;
    }
    try {
        std::string whole = head_of(key).append(value);
        whole.append(view_of(sha256(whole)));
        std::error_code ignored;
        std::filesystem::create_directories(directory_, ignored);
        const std::string path = path_of(key);
        const std::string temporary = temporary_beside(path);
        const open_file file(
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file.is_open()) {
            return;
        }
        // A reader sees the whole file or none.
        if (!write_whole(file.get(), whole) || ::rename(temporary.c_str(), path.c_str()) != 0) {
            ::unlink(temporary.c_str());
        }
    } catch (const std::exception&) {
        // No memory for it, or for the names of directories: it is not kept.
        return;
    }
}

}  // namespace spoc::detail
