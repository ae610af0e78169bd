// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace spoc::bench {

/// The file to be loaded: a regular file that is not empty, open for reading. `read` may be called
/// from any thread.
class source_file {
 public:
    /// Opens it. Throws `std::runtime_error`, with the path and the reason, when it cannot be read
    /// or is something else.
    explicit source_file(std::string path);

    source_file(const source_file&) = delete;
    source_file& operator=(const source_file&) = delete;
    ~source_file();

    const std::string& path() const noexcept { return path_; }

    /// Size when it was opened. Bytes that are appended later are not part of it.
    std::uint64_t bytes() const noexcept { return bytes_; }

    /// Size now.
    std::uint64_t current_bytes() const;

    /// Fills all of `destination` from byte `offset` on; offset and length lie within `bytes()`.
    /// Throws `std::runtime_error` when reading fails or the file has shrunk.
    void read(std::uint64_t offset, std::span<std::byte> destination) const;

 private:
    std::string path_;
    int descriptor_;
    std::uint64_t bytes_ = 0;
};

}  // namespace spoc::bench
