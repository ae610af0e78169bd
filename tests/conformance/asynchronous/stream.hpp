// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include <spoc/backend.h>

#include "work.hpp"

namespace spoc::asynchronous {

/// A queue of work and the thread that runs it, started by the first piece.
class stream {
 public:
    /// `base` is the native stream that the work runs on.
    stream(spoc_be_stream base, uint32_t flags) noexcept : flags_(flags), base_(base) {}
    /// The stream is idle. Waits for the thread.
    ~stream();
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    static stream& of(spoc_be_stream handle) { return *reinterpret_cast<stream*>(handle); }
    spoc_be_stream handle() { return reinterpret_cast<spoc_be_stream>(this); }

    /// Queues a piece of work, unless earlier work failed and nobody was told yet: then says so.
    int32_t enqueue(std::unique_ptr<work> piece, spoc_be_error* error);
    /// The same, and waits for it. Its failure is the call's.
    int32_t run(std::unique_ptr<work> piece, spoc_be_error* error);

    /// Waits for all work so far. LAUNCH when some of it failed and nobody was told yet.
    int32_t sync(uint64_t timeout_ns, spoc_be_error* error);

    bool has_timing() const { return (flags_ & SPOC_BE_STREAM_TIMING) != 0; }
    spoc_be_stream base() const { return base_; }

 private:
    struct item {
        std::unique_ptr<work> piece;
        outcome* waiter;  ///< where its outcome goes, or null
    };

    int32_t add(std::unique_lock<std::mutex>& lock, std::unique_ptr<work> piece, outcome* waiter,
                spoc_be_error* error);
    int32_t start(spoc_be_error* error);
    void serve() noexcept;
    void run_next(std::unique_lock<std::mutex>& lock) noexcept;
    int32_t tell_failure(spoc_be_error* error);

    const uint32_t flags_;
    const spoc_be_stream base_;

    // Under the lock:
    std::list<item> queue_;
    uint64_t enqueued_ = 0;
    uint64_t completed_ = 0;
    outcome failure_;  ///< of the first work that failed since the last report
    pthread_t thread_{};
    bool started_ = false;
    bool stopping_ = false;
};

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error);
int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error);
int32_t stream_flush(spoc_be_stream stream, spoc_be_error* error);
int32_t stream_query(spoc_be_stream stream, spoc_be_error* error);
int32_t stream_sync(spoc_be_stream stream, uint64_t timeout_ns, spoc_be_error* error);

}  // namespace spoc::asynchronous
