// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "faults.hpp"
#include "gate.h"
#include "handle_pool.hpp"
#include "journal.hpp"
#include "object.hpp"
#include "settings.hpp"

namespace spoc::mock {

/// Everything that one loaded copy of the plugin knows.
struct state {
    settings set;
    std::atomic<void (*)(void*, std::uint32_t)> hook{nullptr};
    std::atomic<void*> hook_ctx{nullptr};
    std::atomic<bool> lifecycle_busy{false};  ///< a call of class I is under way
    std::atomic<std::uint64_t> numbers{0};    ///< given to objects so far

    /// Guards all that follows. No test code but kernels runs under it.
    std::mutex mutex;
    std::condition_variable progress;  ///< an operation ran, or a wait began
    std::uint32_t waiters = 0;         ///< threads in waits under WAIT_BLOCK
    journal log;
    faults to_come;
    description described;
    std::map<std::string, const spoc_native_kernel*> kernels;
    std::uint64_t calls = 0;
    std::uint64_t sequence = 0;  ///< of the operation enqueued last
    std::uint64_t ran = 0;       ///< operations
    std::uint64_t pinned = 0;    ///< bytes
    std::uint64_t left_at_close = 0;
    bool open = false;
    bool held_open = false;

    handle_pool<spoc_be_device_s> devices;
    handle_pool<spoc_be_stream_s> streams;  ///< default streams too
    handle_pool<spoc_be_event_s> events;
    handle_pool<spoc_be_buffer_s> buffers;
    handle_pool<spoc_be_hostmem_s> hostmems;
    handle_pool<spoc_be_program_s> programs;
    handle_pool<spoc_be_kernel_s> kernel_handles;

    std::uint64_t next_number() { return numbers.fetch_add(1, std::memory_order_relaxed) + 1; }
    bool recycles() const { return set.get(SPOC_MOCK_RECYCLES) != 0; }
    std::uint64_t objects_alive();
};

/// Lives as long as the process: threads may still be in entries when its static objects end.
state& the_state();

}  // namespace spoc::mock
