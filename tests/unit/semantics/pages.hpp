// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include <spoc/host_memory.h>

namespace spoc::test {

constexpr std::size_t page = 4096;

/// Pages of the test's own, zeroed.
class pages {
 public:
    explicit pages(std::size_t count)
        : start_(static_cast<std::byte*>(std::aligned_alloc(page, count * page)), std::free),
          bytes_(count * page) {
        std::fill(start_.get(), start_.get() + bytes_, std::byte{0});
    }

    std::span<std::byte> all() const { return {start_.get(), bytes_}; }
    std::span<std::byte> part(std::size_t first, std::size_t count) const {
        return all().subspan(first * page, count * page);
    }

 private:
    std::unique_ptr<std::byte, void (*)(void*)> start_;
    std::size_t bytes_;
};

/// Whether the library has exactly these bytes as a page-locked range.
inline bool is_live(std::span<const std::byte> range) {
    return spoc_host_memory_is_live(range.data(), range.size()) != 0;
}

}  // namespace spoc::test
