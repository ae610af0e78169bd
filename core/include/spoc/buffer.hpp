// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Raw device memory as an owner.

#include <cstdint>
#include <utility>

#include <spoc/buffer.h>
#include <spoc/device.hpp>
#include <spoc/error.hpp>

namespace spoc {

/// So many bytes on one device; see `spoc_buffer_create`. Movable, not copyable: it owns the
/// memory. A moved-from buffer is empty and may only be assigned to or destroyed.
class buffer {
 public:
    /// Allocates; contents are undefined. Throws as `spoc_buffer_create`.
    buffer(const device& where, std::uint64_t bytes) : bytes_(bytes) {
        detail::call(spoc_buffer_create, where.get(), bytes, &handle_);
    }

    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    buffer(buffer&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    buffer& operator=(buffer&& other) noexcept {
        buffer taken(std::move(other));
        std::swap(handle_, taken.handle_);
        std::swap(bytes_, taken.bytes_);
        return *this;
    }
    ~buffer() { spoc_buffer_destroy(handle_, nullptr); }

    /// Frees the memory now; throws `invalid_argument` (busy) while work in flight uses it. Every
    /// later use throws (freed); freeing again does nothing. The destructor instead never waits,
    /// and leaves memory in use to the work that uses it.
    void free() { detail::call(spoc_buffer_free, handle_); }

    /// Bytes, as asked.
    std::uint64_t size_bytes() const noexcept { return bytes_; }

    /// Where it lies.
    device where() const {
        spoc_buffer_info info{};
        info.size = sizeof info;
        detail::call(spoc_buffer_describe, handle_, &info);
        return device(info.device);
    }

    /// The C handle; stays owned by this object.
    spoc_buffer get() const noexcept { return handle_; }

 private:
    spoc_buffer handle_ = nullptr;
    std::uint64_t bytes_ = 0;
};

}  // namespace spoc
