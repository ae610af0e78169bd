// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

#include <spoc/device.h>

#include "outcome.hpp"

namespace spoc::detail {

class stream_state;

/// Page-locked memory of the library's own, through which a piece of ordinary memory goes.
struct staging_slot {
    std::byte* start = nullptr;
    std::uint64_t bytes = 0;
    spoc_be_hostmem memory = nullptr;

 private:
    friend class slot_pool;
    spoc_be_event copied_ = nullptr;
    bool taken_ = false;
    bool pending_ = false;  ///< `copied_` marks a copy that may not be done
};

/// The staging slots of a device, made on first need and kept. Any thread.
class slot_pool {
 public:
    explicit slot_pool(spoc_device device) noexcept : device_(*device) {}
    slot_pool(const slot_pool&) = delete;
    slot_pool& operator=(const slot_pool&) = delete;

    /// A slot that nothing else uses, for this caller alone. Blocks until one is free and the last
    /// copy from it is done. Whoever takes a slot gives it back before it takes another.
    outcome take(staging_slot*& out);

    /// The caller is through with a slot. `pending_on`: the stream on which a copy that uses it was
    /// enqueued last, or null when none is pending. Where no proof can be had that the copy is done
    /// the slot is not used again.
    void put_back(staging_slot& slot, stream_state* pending_on);

    /// Frees slots that are not in use. Does not wait.
    void free_idle();
    /// Frees all. No call is in flight, and all work is complete or will never run.
    void free_all();

 private:
    void put_back(staging_slot& slot, bool pending);
    void give_up(staging_slot& slot);
    outcome make_ready(staging_slot& slot);
    outcome allocate(staging_slot& slot);
    outcome mark(staging_slot& slot, stream_state& stream);
    void release(staging_slot& slot);
    bool is_idle(const staging_slot& slot) const;

    spoc_device_s& device_;
    std::mutex mutex_;
    std::condition_variable returned_;
    std::list<staging_slot> slots_;
    std::list<staging_slot> given_up_;  ///< that a copy may still use, without any proof to come
};

}  // namespace spoc::detail
