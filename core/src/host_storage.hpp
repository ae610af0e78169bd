// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "ledger.hpp"
#include "lent_memory.hpp"

namespace spoc::detail {

/// The host's copy of a vector's elements: memory of the library's, of the program's, or of a
/// device and the host together. Vectors have it, and device memory that is the same bytes.
class host_storage {
 public:
    /// Memory of the library's, contents undefined. Throws `std::bad_alloc`.
    explicit host_storage(std::uint64_t bytes)
        : start_(static_cast<std::byte*>(::operator new(bytes, alignment))), owned_(true) {}
    /// `bytes` bytes of the program's memory, which `owner` (may be null) keeps. Throws
    /// `std::bad_alloc`.
    host_storage(void* start, std::uint64_t bytes, std::shared_ptr<lent_memory> owner);
    /// Memory that ends with `keeper`, or once `*gone` is true, which lives in it.
    host_storage(void* start, std::shared_ptr<const void> keeper,
                 const std::atomic<bool>* gone) noexcept
        : start_(static_cast<std::byte*>(start)), keeper_(std::move(keeper)), gone_(gone) {}
    /// The part of `whole` from a byte on.
    host_storage(const std::shared_ptr<host_storage>& whole, std::uint64_t offset) noexcept
        : start_(whole->start() + offset),
          is_bare_(whole->is_bare_),
          keeper_(whole),
          gone_(whole->gone_) {}
    host_storage(const host_storage&) = delete;
    host_storage& operator=(const host_storage&) = delete;
    ~host_storage();

    /// Whether any is over some of these bytes, which the program gave. Any thread.
    static bool is_over(const host_bytes& bytes);

    std::byte* start() const noexcept { return start_; }
    /// Whether nobody but the program keeps it.
    bool is_bare() const noexcept { return is_bare_; }
    /// Whether a shutdown freed it.
    bool is_gone() const noexcept { return gone_ != nullptr && gone_->load(); }

 private:
    /// A cache line of every processor in use, and what vector instructions want.
    static constexpr std::align_val_t alignment{128};

    std::byte* const start_;
    const std::uint64_t lent_bytes_ = 0;  ///< of the program's; not 0: it is in the table
    const bool owned_ = false;
    const bool is_bare_ = false;
    const std::shared_ptr<const void> keeper_;
    const std::atomic<bool>* const gone_ = nullptr;
};

}  // namespace spoc::detail
