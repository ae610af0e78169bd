// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include <spoc/backend.h>

/// Every call on a stream does its work before it returns, and the host makes one such call at a
/// time: that is the stream's order. What is left is to tell other threads whether such a call is
/// running.
struct spoc_be_stream_s {
    explicit spoc_be_stream_s(uint32_t stream_flags) noexcept : flags(stream_flags) {}

    /// Around each piece of work; see `stream_work`.
    void begin() noexcept;
    void end() noexcept;

    /// Whether the work that began before this call is complete, or becomes so within `timeout_ns`.
    bool wait(uint64_t timeout_ns) noexcept;

    const uint32_t flags;  ///< `SPOC_BE_STREAM_*`

 private:
    std::atomic<uint64_t> begun_{0};
    std::atomic<uint64_t> ended_{0};  ///< written under `mutex_`
    std::mutex mutex_;
    std::condition_variable ended_more_;
};

namespace spoc::native {

/// A piece of work of a stream, from construction to destruction.
class stream_work {
 public:
    explicit stream_work(spoc_be_stream stream) noexcept : stream_(*stream) { stream_.begin(); }
    ~stream_work() { stream_.end(); }
    stream_work(const stream_work&) = delete;
    stream_work& operator=(const stream_work&) = delete;

 private:
    spoc_be_stream_s& stream_;
};

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error);
int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error);
int32_t stream_flush(spoc_be_stream stream, spoc_be_error* error);
int32_t stream_query(spoc_be_stream stream, spoc_be_error* error);
int32_t stream_sync(spoc_be_stream stream, uint64_t timeout_ns, spoc_be_error* error);
int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error);

}  // namespace spoc::native
