// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "host_bytes.hpp"
#include "painted_bytes.hpp"
#include "trace.hpp"
#include "usable.hpp"

namespace spoc::detail {

/// What one piece of pending work needs.
struct work_needs {
    use_list uses;
    host_bytes host;           ///< host memory that it reads or writes
    bool writes_host = false;  ///< it writes it
    work_span span;            ///< in the trace, for as long as the rest is needed
};

/// What the pending work of one stream needs, in the order of the stream.
///
/// The rules that make it safe: an entry is there before the driver is called, and goes when the
/// call fails; positions rise by one; a wait notes `committed()` before it begins and releases only
/// up to there; what is released ends outside of every lock, since its end may call a driver or the
/// application. What is never proved complete is kept until the process ends: a device may still
/// touch it.
class ledger {
 public:
    using position = std::uint64_t;  ///< 0: before everything

    ledger();
    ~ledger();
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;

    /// Records work that is about to be enqueued, as an entry for each of `needs`, which are moved
    /// from. Returns the position of the last, 0 of none. All or none: `needs` are untouched when
    /// it throws. One caller at a time, until `commit` or `withdraw`: the stream is held.
    position reserve(std::span<work_needs> needs);
    /// The driver took the work of the newest entries.
    void commit() noexcept { committed_.store(reserved_, std::memory_order_release); }
    /// The driver did not take it, or it is complete already: what was reserved last is moved back
    /// to where it came from. The caller ends it once it holds no lock.
    void withdraw(std::span<work_needs> needs) noexcept;

    /// Position of the last work that the driver took.
    position committed() const noexcept { return committed_.load(std::memory_order_acquire); }
    /// Whether nothing is pending.
    bool is_empty() const noexcept { return count_.load(std::memory_order_acquire) == 0; }
    /// Whether pending work needs this.
    bool needs(const usable& what) const;

    /// Whether pending work writes any of these bytes.
    bool writes(const host_bytes& range) const;

    /// The work up to `at` is complete.
    void release(position at) noexcept;

    /// Whether pending work of any stream of the process touches any of these bytes.
    static bool touches(const host_bytes& range);
    /// Whether it writes any of them.
    static bool is_written(const host_bytes& range);
    /// Has all pending work of the process that touches these bytes need `what`. False: there is no
    /// memory to note it in.
    static bool keep(const host_bytes& range, const std::shared_ptr<usable>& what) noexcept;

 private:
    struct entry {
        position at = 0;
        work_needs needs;
    };
    struct unproved_entries;
    struct directory;
    static directory& all();

    entry& slot(std::size_t index) noexcept { return ring_[(first_ + index) & (ring_.size() - 1)]; }
    const entry& slot(std::size_t index) const noexcept {
        return ring_[(first_ + index) & (ring_.size() - 1)];
    }
    std::size_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
    void set_count(std::size_t count) noexcept { count_.store(count, std::memory_order_release); }
    void grow();
    /// Number of entries up to a position. Under the mutex, like those below.
    std::size_t count_up_to(position at) const noexcept;
    /// Position of the newest entry that touches, or that writes, these bytes; 0: none does.
    position newest(const host_bytes& range, bool writing) const noexcept;
    /// Enters what the driver took into the index, unless that is little.
    void catch_up() const noexcept;

    /// Who touched each byte last, of the entries up to a position. Entries go in their order, so
    /// that this answers whether any of those that are left touches it.
    struct byte_index {
        painted_bytes touched;
        painted_bytes written;
        position covers = 0;
    };

    mutable std::mutex mutex_;
    /// A ring, so that a stream in use takes no memory for its entries. Its size is a power of two.
    std::vector<entry> ring_;
    std::size_t first_ = 0;
    std::atomic<std::size_t> count_{0};  ///< changes under the mutex
    position reserved_ = 0;              ///< of whoever holds the stream
    std::atomic<position> committed_{0};
    /// Made only when somebody asks about bytes: a copy does not pay for it.
    mutable byte_index index_;
};

}  // namespace spoc::detail
