// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::asynchronous {

/// A piece of work in a stream's queue. It keeps alive what it needs and lets go of it when it
/// ends, which is before the stream counts it as complete.
class work {
 public:
    work() = default;
    work(const work&) = delete;
    work& operator=(const work&) = delete;
    virtual ~work() = default;

    /// Whether it may begin. Asked under the lock.
    virtual bool is_ready() const noexcept { return true; }

    /// On the stream's thread, without the lock. `base` is the native stream below.
    virtual int32_t run(spoc_be_stream base, spoc_be_error* error) noexcept = 0;
};

/// What became of a piece of work.
struct outcome {
    int32_t status = SPOC_BE_OK;
    spoc_be_error error{};
};

}  // namespace spoc::asynchronous
