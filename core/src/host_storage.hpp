// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "lent_memory.hpp"

namespace spoc::detail {

/// The host's copy of a vector's elements: memory of the library's, or of the program's. A vector
/// has it, and device memory that is the same bytes.
class host_storage {
 public:
    /// Memory of the library's, contents undefined. Throws `std::bad_alloc`.
    explicit host_storage(std::uint64_t bytes)
        : start_(static_cast<std::byte*>(::operator new(bytes, alignment))), owned_(true) {}
    /// Memory of the program's, which `owner` (may be null) keeps.
    host_storage(void* start, std::shared_ptr<lent_memory> owner) noexcept
        : start_(static_cast<std::byte*>(start)), owner_(std::move(owner)) {}
    host_storage(const host_storage&) = delete;
    host_storage& operator=(const host_storage&) = delete;
    ~host_storage() {
        if (owned_) {
            ::operator delete(start_, alignment);
        }
    }

    std::byte* start() const noexcept { return start_; }

 private:
    /// A cache line of every processor in use, and what vector instructions want.
    static constexpr std::align_val_t alignment{128};

    std::byte* const start_;
    const bool owned_ = false;
    const std::shared_ptr<lent_memory> owner_;
};

}  // namespace spoc::detail
