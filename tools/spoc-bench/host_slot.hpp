// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace spoc::bench {

/// Host memory that copies to and from a device use. Movable. Contents are undefined at first.
class host_slot {
 public:
    /// Throws `std::bad_alloc`.
    explicit host_slot(std::size_t bytes)
        : memory_(std::make_unique_for_overwrite<std::byte[]>(bytes)), bytes_(bytes) {}

    /// The first `length` bytes.
    std::span<std::byte> first(std::size_t length) const noexcept { return all().first(length); }
    std::span<std::byte> all() const noexcept { return {memory_.get(), bytes_}; }

 private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t bytes_;
};

}  // namespace spoc::bench
