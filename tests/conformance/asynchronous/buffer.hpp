// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <spoc/backend.h>

namespace spoc::asynchronous {

/// A buffer of the native plugin, and who uses it. It lives until its handle is destroyed and the
/// last work that uses it has ended.
class buffer {
 public:
    buffer(spoc_be_buffer below, bool over_host) noexcept : base(below), is_over_host(over_host) {}

    static buffer* of(spoc_be_buffer handle) { return reinterpret_cast<buffer*>(handle); }
    spoc_be_buffer handle() { return reinterpret_cast<spoc_be_buffer>(this); }

    const spoc_be_buffer base;
    const bool is_over_host;

    // Under the lock:
    bool has_handle = true;
    uint32_t readers = 0;  ///< pieces of work that only read it
    uint32_t writers = 0;  ///< those that may write it
};

/// A piece of work's use of a buffer.
class buffer_use {
 public:
    /// `access`: `SPOC_BE_ACCESS_*`; UNKNOWN counts as READ_WRITE.
    buffer_use(spoc_be_buffer handle, uint32_t access);
    buffer_use(buffer_use&& other) noexcept
        : used_(std::exchange(other.used_, nullptr)), writes_(other.writes_) {}
    ~buffer_use();
    buffer_use(const buffer_use&) = delete;
    buffer_use& operator=(const buffer_use&) = delete;
    buffer_use& operator=(buffer_use&&) = delete;

    spoc_be_buffer base() const { return used_->base; }

 private:
    buffer* used_;
    const bool writes_;
};

int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error);
int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error);
int32_t buffer_wait(spoc_be_buffer buffer, uint32_t access, uint64_t timeout_ns,
                    spoc_be_error* error);
int32_t buffer_host_access(spoc_be_stream stream, spoc_be_buffer buffer, uint32_t op,
                           uint64_t offset, uint64_t bytes, spoc_be_error* error);

}  // namespace spoc::asynchronous
