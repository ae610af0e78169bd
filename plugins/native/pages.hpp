// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <spoc/backend.h>

namespace spoc::native {

/// Page-aligned memory, given back at the end of the owner's life. May be empty.
class pages {
 public:
    pages() noexcept = default;
    pages(pages&& other) noexcept
        : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    pages& operator=(pages&& other) noexcept;
    ~pages();

    /// Fails with OUT_OF_MEMORY, also when the system would promise the memory but could not give
    /// it.
    static int32_t allocate(uint64_t bytes, pages& out, spoc_be_error* error);

    std::byte* start() const noexcept { return start_; }

    /// Bytes that may be used: at least those asked for.
    uint64_t bytes() const noexcept { return bytes_; }

 private:
    pages(std::byte* start, uint64_t bytes) noexcept : start_(start), bytes_(bytes) {}

    static pages map(uint64_t bytes);
    /// Takes `bytes` and no more from the heap, so that AddressSanitizer sees the first byte beyond
    /// them.
    static pages take(uint64_t bytes);

    std::byte* start_ = nullptr;
    uint64_t bytes_ = 0;
};

}  // namespace spoc::native
