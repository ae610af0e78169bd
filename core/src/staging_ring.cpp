// SPDX-License-Identifier: Apache-2.0
#include "staging_ring.hpp"

#include <new>
#include <utility>

#include "device.hpp"
#include "event.hpp"
#include "host_memory.hpp"
#include "log.hpp"
#include "session.hpp"
#include "stream.hpp"
#include "text.hpp"

namespace spoc::detail {

staging_ring::~staging_ring() = default;

outcome staging_ring::piece::take(stream_state& stream, std::uint64_t bytes) {
    return ring_.take(stream, bytes, unit_);
}

staging_ring::piece::~piece() {
    if (unit_ != no_unit) {
        ring_.put_back(unit_, at_);
    }
}

std::byte* staging_ring::piece::start() const noexcept { return ring_.start_ + block_offset(); }

std::shared_ptr<usable> staging_ring::piece::need() const noexcept {
    return {ring_.places_, &ring_.at(unit_)};
}

outcome staging_ring::make() {
    if (block_ != nullptr) {
        return {};
    }
    auto places = std::make_shared<std::array<place, units>>();
    spare_marks_.reserve(units / units_between_marks + 1);
    spoc_be_hostmem_result made{};
    SPOC_TRY(allocate_page_locked(device_, units * unit_bytes, units * unit_bytes, made));
    places_ = std::move(places);
    block_ = made.hostmem;
    start_ = static_cast<std::byte*>(made.host);
    device_.accounts().add(locked_memory::ring, units * unit_bytes);
    return {};
}

void staging_ring::free() {
    const std::lock_guard lock(mutex_);
    if (block_ == nullptr) {
        return;
    }
    plugin_error error;
    if (device_.table().pinned_free(std::exchange(block_, nullptr), &error) < 0) {
        write_log(SPOC_BE_LOG_WARN, device_.backend(),
                  say("Freeing the staging ring fails: ", field_text(error.message)));
    }
    device_.accounts().remove(locked_memory::ring, units * unit_bytes);
    spare_marks_.clear();
    places_.reset();
    first_ = used_ = unmarked_ = 0;
}

outcome staging_ring::take(stream_state& stream, std::uint64_t bytes, std::size_t& out_unit) {
    const std::size_t length = (bytes + unit_bytes - 1) / unit_bytes;
    std::size_t unit = 0;
    bool marks = false;
    {
        std::unique_lock lock(mutex_);
        SPOC_TRY(make());
        for (reclaim(); !find_room(length, unit); reclaim()) {
            SPOC_TRY(wait_for_oldest(lock));
        }
        at(unit).taken = true;
        at(unit).stream = stream.weak_from_this();
        marks = unmarked_ >= units_between_marks;
        unmarked_ = (marks ? 0 : unmarked_) + length;
    }
    out_unit = unit;
    if (marks) {
        mark(at(unit), stream);
    }
    return {};
}

void staging_ring::put_back(std::size_t unit, ledger::position enqueued_at) noexcept {
    const std::lock_guard lock(mutex_);
    at(unit).at = enqueued_at;
    at(unit).taken = false;
    put_back_.notify_all();
}

/// Without the mutex, since a stream may be held for long: a taken place is its caller's alone. No
/// mark is no failure; whoever has to wait then waits for the stream.
void staging_ring::mark(place& taken, stream_state& stream) noexcept {
    try {
        std::shared_ptr<event_state> made;
        {
            const std::lock_guard lock(mutex_);
            if (!spare_marks_.empty()) {
                made = std::move(spare_marks_.back());
                spare_marks_.pop_back();
            }
        }
        if (made == nullptr) {
            made = std::make_shared<event_state>(&device_, 0U);
            if (!made->make().ok()) {
                return;
            }
        }
        const ledger::position covered = stream.committed();
        if (made->record(stream.shared_from_this()).ok()) {
            const std::lock_guard lock(mutex_);
            taken.marked = covered;
            taken.mark = std::move(made);
        }
    } catch (const std::bad_alloc&) {
        return;
    }
}

void staging_ring::reclaim() noexcept {
    while (used_ > 0) {
        place& oldest = at(first_);
        if (oldest.taken || oldest.in_use()) {
            return;
        }
        if (oldest.mark != nullptr && spare_marks_.size() < spare_marks_.capacity()) {
            spare_marks_.push_back(std::move(oldest.mark));
        }
        oldest.mark = nullptr;
        oldest.stream.reset();
        first_ = (first_ + oldest.length) % units;
        used_ -= oldest.length;
    }
    unmarked_ = 0;
}

bool staging_ring::find_room(std::size_t length, std::size_t& out_unit) noexcept {
    std::size_t next = (first_ + used_) % units;
    const std::size_t to_end = units - next;
    const std::size_t skipped = to_end < length ? to_end : 0;
    if (skipped + length > units - used_) {
        return false;
    }
    if (skipped != 0) {
        // A piece that nobody needs.
        at(next).length = skipped;
        next = 0;
    }
    at(next).length = length;
    used_ += skipped + length;
    out_unit = next;
    return true;
}

std::shared_ptr<event_state> staging_ring::mark_after(const place& oldest) noexcept {
    std::size_t unit = first_;
    for (std::size_t seen = 0; seen < used_;) {
        const place& one = at(unit);
        const bool same =
            !one.stream.owner_before(oldest.stream) && !oldest.stream.owner_before(one.stream);
        if (one.mark != nullptr && same && one.marked >= oldest.at) {
            return one.mark;
        }
        seen += one.length;
        unit = (unit + one.length) % units;
    }
    return nullptr;
}

outcome staging_ring::wait_for_oldest(std::unique_lock<std::mutex>& lock) {
    const place& oldest = at(first_);
    if (oldest.taken) {
        put_back_.wait(lock);
        return {};
    }
    const std::size_t unit = first_;
    const ledger::position seen = oldest.at;
    std::shared_ptr<stream_state> stream = oldest.stream.lock();
    std::shared_ptr<event_state> behind = mark_after(oldest);
    lock.unlock();
    outcome waited = outcome::fail(SPOC_BACKEND_ERROR, SPOC_SUB_SYNC_FAILED,
                                   "A stream ended with work that was never proved complete.");
    if (behind != nullptr) {
        waited = behind->synchronize();
    } else if (stream != nullptr) {
        waited = stream->synchronize();
    }
    // The last reference may end a stream or an event.
    stream.reset();
    behind.reset();
    lock.lock();
    // It may be free all the same: somebody else may have closed the stream, which waits too.
    const bool is_same = first_ == unit && used_ > 0 && oldest.at == seen && !oldest.taken;
    return is_same && oldest.in_use() ? std::move(waited) : outcome{};
}

}  // namespace spoc::detail
