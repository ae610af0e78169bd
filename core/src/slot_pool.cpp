// SPDX-License-Identifier: Apache-2.0
#include "slot_pool.hpp"

#include <algorithm>
#include <utility>

#include "device.hpp"
#include "event.hpp"
#include "host_memory.hpp"
#include "log.hpp"
#include "session.hpp"
#include "stream.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

/// Large enough that a call's cost vanishes, small enough to be had anywhere.
constexpr std::uint64_t slot_bytes = 4 << 20;
/// One is filled while the other is copied from.
constexpr std::size_t most_slots = 2;

}  // namespace

outcome slot_pool::take(staging_slot*& out) {
    {
        std::unique_lock lock(mutex_);
        const auto is_free = [](const staging_slot& slot) { return !slot.taken_; };
        auto chosen = slots_.end();
        returned_.wait(lock, [&] {
            chosen = std::find_if(slots_.begin(), slots_.end(), [](const staging_slot& slot) {
                return !slot.taken_ && !slot.pending_;
            });
            if (chosen == slots_.end() && slots_.size() < most_slots) {
                chosen = slots_.emplace(slots_.end());
            }
            if (chosen == slots_.end()) {
                chosen = std::find_if(slots_.begin(), slots_.end(), is_free);
            }
            return chosen != slots_.end();
        });
        chosen->taken_ = true;
        // The one used longest ago comes first.
        slots_.splice(slots_.end(), slots_, chosen);
        out = &*chosen;
    }
    outcome ready = make_ready(*out);
    if (!ready.ok()) {
        put_back(*out, out->pending_);
        out = nullptr;
    }
    return ready;
}

outcome slot_pool::make_ready(staging_slot& slot) {
    if (slot.memory == nullptr) {
        return allocate(slot);
    }
    if (!slot.pending_) {
        return {};
    }
    SPOC_TRY(wait_for_event(device_, slot.copied_));
    slot.pending_ = false;
    return {};
}

outcome slot_pool::allocate(staging_slot& slot) {
    spoc_be_hostmem_result made{};
    SPOC_TRY(allocate_page_locked(device_, slot_bytes, 1, made));
    slot.memory = made.hostmem;
    slot.start = static_cast<std::byte*>(made.host);
    slot.bytes = made.bytes;
    device_.accounts().add(locked_memory::slot, slot.bytes);
    return {};
}

outcome slot_pool::mark(staging_slot& slot, stream_state& stream) {
    if (slot.copied_ == nullptr) {
        plugin_error error;
        const std::int32_t status =
            device_.table().event_create(device_.handle(), 0, &slot.copied_, &error);
        if (status < 0) {
            return device_.failure(status, error, SPOC_SUB_DRIVER);
        }
    }
    return stream.mark(SPOC_SUB_DRIVER, [&](spoc_be_stream on, spoc_be_error* error) {
        return device_.table().event_record(slot.copied_, on, error);
    });
}

void slot_pool::put_back(staging_slot& slot, stream_state* pending_on) {
    const bool is_marked = pending_on != nullptr && mark(slot, *pending_on).ok();
    if (is_marked || pending_on == nullptr || pending_on->synchronize().ok()) {
        put_back(slot, is_marked);
    } else {
        give_up(slot);
    }
}

void slot_pool::put_back(staging_slot& slot, bool pending) {
    const std::lock_guard lock(mutex_);
    slot.pending_ = pending;
    slot.taken_ = false;
    returned_.notify_one();
}

void slot_pool::give_up(staging_slot& slot) {
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(slots_.begin(), slots_.end(),
                                    [&](const staging_slot& one) { return &one == &slot; });
    given_up_.splice(given_up_.end(), slots_, place);
    // There is room for another one.
    returned_.notify_one();
}

bool slot_pool::is_idle(const staging_slot& slot) const {
    return !slot.taken_ &&
           (!slot.pending_ || device_.table().event_query(slot.copied_, nullptr) == SPOC_BE_OK);
}

void slot_pool::release(staging_slot& slot) {
    plugin_error error;
    const spoc_be_table& table = device_.table();
    if (slot.copied_ != nullptr && table.event_destroy(slot.copied_, &error) < 0) {
        write_log(SPOC_BE_LOG_WARN, device_.backend(),
                  say("Ending a staging slot's event fails: ", field_text(error.message)));
    }
    if (slot.memory == nullptr) {
        return;
    }
    device_.accounts().remove(locked_memory::slot, slot.bytes);
    if (table.pinned_free(slot.memory, &error) < 0) {
        write_log(SPOC_BE_LOG_WARN, device_.backend(),
                  say("Freeing the staging memory fails: ", field_text(error.message)));
    }
}

void slot_pool::free_idle() {
    std::list<staging_slot> idle;
    {
        const std::lock_guard lock(mutex_);
        for (auto slot = slots_.begin(); slot != slots_.end();) {
            const auto next = std::next(slot);
            if (is_idle(*slot)) {
                idle.splice(idle.end(), slots_, slot);
            }
            slot = next;
        }
    }
    for (staging_slot& slot : idle) {
        release(slot);
    }
}

void slot_pool::free_all() {
    slots_.splice(slots_.end(), given_up_);
    for (staging_slot& slot : slots_) {
        release(slot);
    }
    slots_.clear();
}

}  // namespace spoc::detail
