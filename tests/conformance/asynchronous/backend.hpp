// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "common/host.hpp"

/// \file
/// A layer that makes the native plugin asynchronous: work is queued and runs on a thread a stream.
/// It is written to be right and easy to follow, not to be fast.

namespace spoc::asynchronous {

class host_memory;

/// What the objects of the layer share from `open` to `close`.
///
/// One lock guards all streams, events and buffers, and one condition says that anything changed,
/// so that no order of locks can be wrong. Work runs outside the lock.
struct shared_state {
    std::mutex mutex;
    std::condition_variable changed;
    host_memory* page_locked = nullptr;  ///< all blocks that live, see host_memory.hpp
    uint64_t shared_per_block = 0;       ///< of the native device
};

struct backend {
    plugin::host host;
    shared_state* state = nullptr;
};

/// Nothing of it is destroyed at exit: a stream's thread may still sleep on the condition then.
inline constinit backend the_backend;

inline std::unique_lock<std::mutex> lock_state() {
    return std::unique_lock(the_backend.state->mutex);
}

/// Says that something changed, under the lock.
inline void notify() noexcept { the_backend.state->changed.notify_all(); }

}  // namespace spoc::asynchronous
