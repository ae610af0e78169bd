// SPDX-License-Identifier: Apache-2.0
#include "vector.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "auto_sync.hpp"
#include "copy_arguments.hpp"
#include "device.hpp"
#include "lent_memory.hpp"
#include "session.hpp"
#include "staged_write.hpp"
#include "stream.hpp"
#include "text.hpp"
#include "vector_family.hpp"

using namespace spoc::detail;

namespace {

std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

outcome is_device_only_refusal(std::uint64_t id) {
    return outcome::invalid(SPOC_SUB_DEVICE_ONLY,
                            say("Vector ", id, " lives on its device alone."));
}

/// Whether work on `stream` is complete before what is enqueued on the default stream runs.
bool precedes_default(const stream_state& stream, const spoc_device_s& device) {
    return stream.is_default() || (device.offers(SPOC_BE_CAP_STREAM_BLOCKING) &&
                                   (stream.flags() & SPOC_STREAM_NON_BLOCKING) == 0);
}

}  // namespace

spoc_vector_s::spoc_vector_s(element_type element, std::uint64_t count,
                             std::shared_ptr<host_storage> host)
    : element_(element),
      count_(count),
      id_(next_id()),
      host_(std::move(host)),
      counted_(handle_kind::vector, account::of_process(), bytes()) {}

void spoc_vector_s::expect_on(spoc_device device) noexcept {
    location_ = {SPOC_LOCATION_STALE_DEVICE, device};
}

outcome spoc_vector_s::place_on(spoc_device device) {
    memory_pointer memory;
    bool made = false;
    SPOC_TRY(make_memory(device, memory, made));
    location_ = {is_device_only() ? SPOC_LOCATION_DEVICE : SPOC_LOCATION_BOTH, device};
    counted_ = counted_handle(handle_kind::vector, device->accounts(), bytes());
    return {};
}

spoc_vector_info spoc_vector_s::describe() const noexcept {
    spoc_vector_info info{};
    info.kind = element_.kind;
    info.id = id_;
    info.count = count_;
    info.element_bytes = element_.bytes;
    info.location = location_.state;
    info.device = location_.device;
    info.device_only = is_device_only() ? 1 : 0;
    info.auto_sync = auto_sync_ ? 1 : 0;
    info.freed = freed_ ? 1 : 0;
    info.depth = depth_;
    return info;
}

std::uint32_t spoc_vector_s::link(spoc_device device) const noexcept {
    const memory_pointer memory = memory_on(device);
    if (memory == nullptr) {
        return SPOC_LINK_NONE;
    }
    switch (memory->kind()) {
        case memory_kind::host_range:
            return SPOC_LINK_HOST_STORAGE;
        case memory_kind::host_pointer:
            return SPOC_LINK_HOST_POINTER;
        case memory_kind::unified:
            return SPOC_LINK_UNIFIED;
        case memory_kind::device:
            break;
    }
    return SPOC_LINK_SEPARATE;
}

/* ---- Memory on devices ---- */

const spoc_vector_s::memory_pointer* spoc_vector_s::look_at(spoc_device device) const noexcept {
    const auto found =
        std::find_if(memories_.begin(), memories_.end(),
                     [&](const memory_pointer& one) { return &one->device() == device; });
    return found == memories_.end() ? nullptr : &*found;
}

spoc_vector_s::memory_pointer spoc_vector_s::memory_on(spoc_device device) const noexcept {
    const memory_pointer* const found = look_at(device);
    return found == nullptr ? nullptr : *found;
}

outcome spoc_vector_s::make_memory(spoc_device device, memory_pointer& out, bool& out_made) {
    out = memory_on(device);
    out_made = out == nullptr;
    if (!out_made) {
        return {};
    }
    SPOC_TRY(check_buffer_size(*device, bytes()));
    SPOC_TRY(device->check_current());
    if (bytes() > 0) {
        SPOC_TRY(device->open());
    }
    const bool is_host = host_ != nullptr && device->offers(SPOC_BE_CAP_BUFFER_HOST_RANGE);
    out = is_host ? std::make_shared<device_memory>(device, bytes(), memory_kind::host_range, host_)
                  : std::make_shared<device_memory>(device, bytes());
    memories_.reserve(memories_.size() + 1);
    SPOC_TRY(out->allocate());
    memories_.push_back(out);
    return {};
}

void spoc_vector_s::drop_memory(spoc_device device) noexcept {
    const auto gone =
        std::remove_if(memories_.begin(), memories_.end(),
                       [&](const memory_pointer& one) { return &one->device() == device; });
    memories_.erase(gone, memories_.end());
}

/* ---- Moving whole vectors ---- */

outcome spoc_vector_s::settle(device_memory& memory) {
    if (!memory.in_use()) {
        return {};
    }
    return memory.device().settle([&memory](const stream_state& stream) {
        // It is the host that follows on memory that is the host's, so that no order helps.
        const bool ordered = !memory.shares_host() && precedes_default(stream, memory.device());
        return !ordered && stream.needs(memory);
    });
}

outcome spoc_vector_s::settle_sharers(device_memory& memory) {
    SPOC_TRY(settle(memory));
    if (memory.is_host_storage()) {
        for (const memory_pointer& other : host_memories()) {
            SPOC_TRY(settle(*other));
        }
    }
    return {};
}

outcome spoc_vector_s::move_bytes(const memory_pointer& memory, bool to_device) {
    if (memory->kind() == memory_kind::host_pointer) {
        return memory->host_access(to_device ? SPOC_BE_HOST_PUBLISH : SPOC_BE_HOST_ACQUIRE);
    }
    const host_transfer copy{memory, 0, host_->start(), bytes(), to_device};
    ledger::position at = 0;
    return transfer(*memory->device().default_queue(), copy, {.wait = true}, at);
}

outcome spoc_vector_s::move_whole(session& call, const memory_pointer& memory, bool to_device) {
    SPOC_TRY(memory->check_usable());
    SPOC_TRY(settle_sharers(*memory));
    if (memory->is_host_storage() || bytes() == 0) {
        return {};
    }
    SPOC_TRY(enter_host(call, !to_device));
    outcome moved = move_bytes(memory, to_device);
    outcome left = to_device ? outcome{} : leave_host(call);
    return moved.ok() ? std::move(left) : std::move(moved);
}

outcome spoc_vector_s::read_back(session& call) {
    SPOC_TRY(move_whole(call, memory_on(location_.device), false));
    outdate_parents();
    return {};
}

outcome spoc_vector_s::upload(session& call, spoc_device device) {
    memory_pointer memory;
    bool made = false;
    SPOC_TRY(make_memory(device, memory, made));
    outcome moved = move_whole(call, memory, true);
    if (!moved.ok() && made) {
        drop_memory(device);
    }
    return moved;
}

outcome spoc_vector_s::check_transferable() const {
    if (freed_) {
        return outcome::invalid(SPOC_SUB_FREED, say("The memory of vector ", id_, " was freed."));
    }
    if (writing_) {
        return outcome::invalid(SPOC_SUB_BUSY, say("The host is writing to vector ", id_, "."));
    }
    SPOC_TRY(check_host_is_there());
    return check_relatives();
}

outcome spoc_vector_s::to_device(session& call, spoc_device device) {
    SPOC_TRY(check_transferable());
    if (is_device_only() && device != location_.device) {
        return is_device_only_refusal(id_);
    }
    if (location_.is_fresh_on(device)) {
        return {};
    }
    SPOC_TRY(call.enter());
    SPOC_TRY(freshen_parents(call, true));
    if (!location_.host_is_fresh()) {
        SPOC_TRY(read_back(call));
    }
    SPOC_TRY(upload(call, device));
    location_ = {SPOC_LOCATION_BOTH, device};
    if (memory_on(device)->is_host_storage()) {
        // What kernels write is the host's copy from now on, without a word to anybody.
        outdate_parents();
    }
    return {};
}

outcome spoc_vector_s::to_host(session& call, bool force) {
    SPOC_TRY(check_has_host());
    SPOC_TRY(check_transferable());
    SPOC_TRY(freshen_parents(call, true));
    if (!location_.device_is_fresh() || (location_.host_is_fresh() && !force)) {
        return {};
    }
    SPOC_TRY(call.enter());
    SPOC_TRY(read_back(call));
    location_.state = SPOC_LOCATION_BOTH;
    return {};
}

outcome spoc_vector_s::sync(session& call) {
    SPOC_TRY(check_has_host());
    SPOC_TRY(check_transferable());
    return location_.state == SPOC_LOCATION_STALE_DEVICE ? to_device(call, location_.device)
                                                         : to_host(call, false);
}

/* ---- The host's copy ---- */

outcome spoc_vector_s::check_has_host() const {
    if (is_device_only()) {
        return is_device_only_refusal(id_);
    }
    return check_host_is_there();
}

outcome spoc_vector_s::check_host_is_there() const {
    return host_ != nullptr && host_->is_gone()
               ? outcome::fail(
                     SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                     say("The memory of vector ", id_, " belongs to a runtime that was shut down."))
               : outcome{};
}

outcome spoc_vector_s::enter_host(session& call, bool write) {
    const auto somebody_writes = [this] {
        if (family_ == nullptr) {
            return writing_;
        }
        const std::lock_guard lock(family_->mutex);
        return std::any_of(family_->members.begin(), family_->members.end(),
                           [](const spoc_vector_s* one) { return one->writing_; });
    };
    for (const memory_pointer& memory : host_memories()) {
        if (!memory->in_use() && !memory->is_guarded()) {
            continue;
        }
        SPOC_TRY(call.enter());
        SPOC_TRY(settle(*memory));
        if (memory->host_is_writing() && !somebody_writes()) {
            // A copy to the host has ended, and the plugin could not be told.
            SPOC_TRY(memory->host_access(SPOC_BE_HOST_END_WRITE));
        }
        if (write && memory->host_is_writing()) {
            return outcome::invalid(SPOC_SUB_BUSY,
                                    say("Another view of vector ", id_, " is being written."));
        }
        // While another view is being written the host has the memory already.
        if (memory->is_guarded() && !memory->host_is_writing()) {
            SPOC_TRY(memory->device().synchronize());
            SPOC_TRY(memory->host_access(write ? SPOC_BE_HOST_BEGIN_WRITE : SPOC_BE_HOST_ACQUIRE));
        }
    }
    return {};
}

outcome spoc_vector_s::leave_host(session& call) {
    for (const memory_pointer& memory : host_memories()) {
        if (memory->host_is_writing()) {
            SPOC_TRY(call.enter());
            SPOC_TRY(memory->host_access(SPOC_BE_HOST_END_WRITE));
        }
    }
    return {};
}

outcome spoc_vector_s::check_auto_sync(bool asker_may) const {
    return asker_may && auto_sync_ && auto_sync_is_on()
               ? outcome{}
               : outcome::invalid(
                     SPOC_SUB_STALE_HOST,
                     say("The host's copy of vector ", id_, " is older than that of device ",
                         location_.device->selector(), ", and automatic synchronisation is off."));
}

outcome spoc_vector_s::freshen_host(session& call) {
    SPOC_TRY(check_has_host());
    SPOC_TRY(check_transferable());
    SPOC_TRY(freshen_parents(call, false));
    if (!location_.host_is_fresh()) {
        SPOC_TRY(check_auto_sync(true));
        SPOC_TRY(to_host(call, false));
    }
    return {};
}

outcome spoc_vector_s::read(session& call) {
    SPOC_TRY(freshen_host(call));
    return enter_host(call, false);
}

outcome spoc_vector_s::begin_write(session& call, bool all) {
    if (all) {
        SPOC_TRY(check_has_host());
        SPOC_TRY(check_transferable());
        SPOC_TRY(freshen_parents(call, false));
    } else {
        SPOC_TRY(freshen_host(call));
    }
    SPOC_TRY(enter_host(call, true));
    writing_ = true;
    return {};
}

outcome spoc_vector_s::end_write(session& call) {
    if (!writing_) {
        return outcome::invalid(SPOC_SUB_VALUE, "No writing was begun.");
    }
    // While the plugin does not know, the memory is the host's: it can be tried again.
    SPOC_TRY(leave_host(call));
    writing_ = false;
    if (location_.device != nullptr && link(location_.device) != SPOC_LINK_UNIFIED) {
        location_.state = SPOC_LOCATION_STALE_DEVICE;
    }
    outdate_parents();
    return {};
}

/* ---- Ranges ---- */

outcome spoc_vector_s::check_has_current() const {
    const memory_pointer memory = memory_on(location_.device);
    if (location_.device_is_fresh() || (memory != nullptr && memory->is_host_storage())) {
        return {};
    }
    return outcome::invalid(SPOC_SUB_LOCATION,
                            say("No device has an up-to-date copy of vector ", id_, "."));
}

outcome spoc_vector_s::copy_range(session& call, const vector_range& range, const order& wanted,
                                  const spoc_owner* owner) {
    SPOC_TRY(check_transferable());
    SPOC_TRY(range.staged ? check_staged_size(range.bytes) : outcome{});
    SPOC_TRY(check_range("vector", bytes(), range.offset, range.bytes));
    SPOC_TRY(check_host(range.host, range.bytes, range.to_device));
    SPOC_TRY(check_has_current());
    spoc_device_s& device = *location_.device;
    SPOC_TRY(check_order(wanted, device));
    SPOC_TRY(call.enter());
    const memory_pointer memory = memory_on(&device);
    SPOC_TRY(memory->check_usable());
    const std::shared_ptr<lent_memory> lent = lent_memory::of(owner);
    if (range.bytes > 0) {
        const host_transfer copy{memory, range.offset, range.host, range.bytes, range.to_device};
        SPOC_TRY(range.staged ? check_stages(copy) : outcome{});
        if (memory->is_host_storage()) {
            SPOC_TRY(freshen_parents(call, true));
        }
        if (!wanted.named) {
            SPOC_TRY(settle_sharers(*memory));
        }
        ledger::position at = 0;
        stream_state& stream = stream_of(wanted, device);
        SPOC_TRY(range.staged ? stage(stream, copy)
                              : transfer(stream, copy, {!wanted.named, lent}, at));
        if (range.to_device && memory->is_host_storage()) {
            outdate_parents();
        } else if (range.to_device && location_.state == SPOC_LOCATION_BOTH) {
            location_.state = SPOC_LOCATION_STALE_HOST;
        }
    }
    if (lent != nullptr) {
        lent->take();
    }
    return {};
}

/* ---- Freeing ---- */

outcome spoc_vector_s::check_can_go(const device_memory& memory) const {
    if (memory.in_use()) {
        return outcome::invalid(SPOC_SUB_BUSY,
                                say("Work that was enqueued may use vector ", id_, "."));
    }
    if (memory.kind() != memory_kind::unified) {
        return {};
    }
    if (has_relatives()) {
        return outcome::invalid(SPOC_SUB_BUSY,
                                say("Views share the unified memory of vector ", id_, "."));
    }
    return check_has_host();
}

outcome spoc_vector_s::check_free() const { return writing_ ? check_transferable() : outcome{}; }

outcome spoc_vector_s::save_from(session& call, spoc_device device) {
    return !is_device_only() && location_.is_fresh_on(device) && !location_.host_is_fresh()
               ? read_back(call)
               : outcome{};
}

void spoc_vector_s::forget(spoc_device device) noexcept {
    drop_memory(device);
    if (location_.device != device) {
        return;
    }
    if (is_device_only()) {
        freed_ = true;
    } else {
        location_ = {};
    }
}

outcome spoc_vector_s::free_buffer(session& call, spoc_device device) {
    SPOC_TRY(check_free());
    const memory_pointer memory = memory_on(device);
    if (memory == nullptr) {
        forget(device);
        return {};
    }
    SPOC_TRY(check_can_go(*memory));
    SPOC_TRY(call.enter());
    SPOC_TRY(save_from(call, device));
    SPOC_TRY(leave_unified(call, memory));
    outcome released = memory->release();
    forget(device);
    return released;
}

outcome spoc_vector_s::free_all(session& call) {
    SPOC_TRY(check_free());
    for (const memory_pointer& memory : memories_) {
        SPOC_TRY(check_can_go(*memory));
    }
    if (!memories_.empty()) {
        SPOC_TRY(call.enter());
        SPOC_TRY(save_from(call, location_.device));
    }
    for (const memory_pointer& memory : memories_) {
        SPOC_TRY(leave_unified(call, memory));
    }
    outcome first;
    for (const memory_pointer& memory : memories_) {
        if (outcome released = memory->release(); !released.ok() && first.ok()) {
            first = std::move(released);
        }
    }
    memories_.clear();
    forget(location_.device);
    return first;
}
