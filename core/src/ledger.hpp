// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "trace.hpp"
#include "usable.hpp"

namespace spoc::detail {

/// Host bytes from `begin` to `end`, as addresses.
struct host_bytes {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    host_bytes() noexcept = default;
    host_bytes(const void* start, std::uint64_t bytes) noexcept
        : begin(reinterpret_cast<std::uintptr_t>(start)), end(begin + bytes) {}

    bool overlaps(const host_bytes& other) const noexcept {
        return begin < other.end && other.begin < end;
    }
};

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

    /// Records work that is about to be enqueued. One caller at a time, until `commit` or
    /// `withdraw`: the stream is held.
    position reserve(work_needs needs);
    /// The driver took the work of the newest entry.
    void commit() noexcept;
    /// The driver did not take it, or it is complete already. The caller ends what is returned once
    /// it holds no lock.
    [[nodiscard]] work_needs withdraw() noexcept;

    /// Position of the last work that the driver took.
    position committed() const;
    /// Whether nothing is pending.
    bool is_empty() const;
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
    void grow();
    /// The newest entry that touches these bytes, or null. Under the mutex.
    entry* newest(const host_bytes& range) noexcept;

    mutable std::mutex mutex_;
    /// A ring, so that a stream in use takes no memory for its entries. Its size is a power of two.
    std::vector<entry> ring_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    position reserved_ = 0;
    position committed_ = 0;
};

}  // namespace spoc::detail
