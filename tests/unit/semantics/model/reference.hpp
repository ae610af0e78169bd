// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What has to be true, told without the library: bytes in places, work that waits in streams, and
/// what work keeps until it is proved complete.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "plugin.hpp"

namespace spoc::model {

/// Bytes that copies read and write: a buffer's, or of host memory.
struct place {
    explicit place(std::size_t count, std::byte value = {}) : bytes(count, value) {}
    std::vector<std::byte> bytes;
};
using place_pointer = std::shared_ptr<place>;

/// A part of a place.
struct extent {
    place_pointer in;
    std::size_t offset = 0;
    std::size_t count = 0;

    std::byte* data() const { return in->bytes.data() + offset; }
    bool overlaps(const extent& other) const {
        return in == other.in && offset < other.offset + other.count &&
               other.offset < offset + count;
    }
};

/// A part of a place that something reads or writes.
struct touch {
    extent part;
    bool writes = false;

    bool conflicts(const touch& other) const {
        return (writes || other.writes) && part.overlaps(other.part);
    }
};

/// Host memory of the program, and what has to be in it.
struct host_span {
    std::byte* start = nullptr;
    extent model;

    host_span part(std::size_t offset, std::size_t count) const {
        return {start + offset, {model.in, model.offset + offset, count}};
    }
};

/// What the library has to have counted of a device (spoc/stats.h).
struct account {
    std::uint64_t buffers = 0;
    std::uint64_t bytes = 0;
    std::uint64_t allocations = 0;
    std::uint64_t retries = 0;
    std::uint64_t frees = 0;
    std::uint64_t freed_bytes = 0;
    std::uint64_t auto_frees = 0;
    std::uint64_t auto_bytes = 0;
    std::uint64_t pinned = 0;
    std::uint64_t pinned_bytes = 0;
    std::uint64_t registered = 0;
    std::uint64_t registered_bytes = 0;
    std::uint64_t ring_bytes = 0;
};

/// What the plugin has to have alive, and what the library has to have counted.
struct tally {
    std::array<std::uint64_t, device_count> bytes{};  ///< of device memory
    std::array<account, device_count> accounts{};
    std::uint64_t buffers = 0;
    std::uint64_t blocks = 0;
    std::uint64_t streams = 0;
    std::uint64_t events = 0;
    std::uint64_t kernels = 0;
};

/// Memory on a device: there while a vector or buffer has it, or work that is not proved complete.
struct memory {
    memory(tally& counts, std::size_t on, place_pointer what, bool host)
        : counted(counts), device(on), in(std::move(what)), is_host(host) {
        counted.bytes.at(device) += taken();
        if (const std::size_t size = in->bytes.size(); size > 0) {
            account& of = counted.accounts.at(device);
            ++counted.buffers;
            ++of.buffers;
            ++of.allocations;
            of.bytes += size;
        }
    }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;
    ~memory() {
        counted.bytes.at(device) -= taken();
        if (const std::size_t size = in->bytes.size(); size > 0) {
            account& of = counted.accounts.at(device);
            --counted.buffers;
            --of.buffers;
            of.bytes -= size;
            ++(by_program ? of.frees : of.auto_frees);
            (by_program ? of.freed_bytes : of.auto_bytes) += size;
        }
    }
    std::uint64_t taken() const { return is_host ? 0 : in->bytes.size(); }

    tally& counted;
    const std::size_t device;
    const place_pointer in;
    const bool is_host;       ///< is the host storage of a vector
    bool by_program = false;  ///< the program says that it is freed
};
using memory_pointer = std::shared_ptr<memory>;

/// Because the program says so, which is counted apart.
inline void free_by_program(memory_pointer& what) {
    if (what != nullptr) {
        what->by_program = true;
    }
    what.reset();
}

/// A page-locked range: there while the program has its handle, or work that touches it.
struct block : std::enable_shared_from_this<block> {
    using table = std::map<std::byte*, block*>;

    block(tally& counts, table& listed, std::size_t on, bool serves_all, bool is_registration,
          const host_span& what)
        : counted(counts),
          live(listed),
          device(on),
          portable(serves_all),
          registered(is_registration),
          span(what) {
        ++counted.blocks;
        ++number();
        bytes() += span.model.count;
        live.emplace(span.start, this);
    }
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    ~block() {
        --counted.blocks;
        --number();
        bytes() -= span.model.count;
        live.erase(span.start);
    }
    std::byte* end() const { return span.start + span.model.count; }
    bool serves(std::size_t other) const { return portable || other == device; }

    tally& counted;
    table& live;
    const std::size_t device;
    const bool portable;
    const bool registered;
    const host_span span;
    std::shared_ptr<const void> lent{};

 private:
    std::uint64_t& number() const {
        account& of = counted.accounts.at(device);
        return registered ? of.registered : of.pinned;
    }
    std::uint64_t& bytes() const {
        account& of = counted.accounts.at(device);
        return registered ? of.registered_bytes : of.pinned_bytes;
    }
};

/// A kernel: there while the program has its handle, or work that is not proved complete.
struct kernel_object {
    explicit kernel_object(tally& counts) : counted(counts) { ++counted.kernels; }
    kernel_object(const kernel_object&) = delete;
    kernel_object& operator=(const kernel_object&) = delete;
    ~kernel_object() { --counted.kernels; }

    tally& counted;
};

struct lane;

/// An operation of the plugin in a stream.
struct work {
    std::uint64_t sequence = 0;  ///< of the call that enqueued it
    lane* in = nullptr;
    std::vector<touch> touches{};
    std::function<void()> effect{};  ///< on the places; may be empty
    std::shared_ptr<work> after{};   ///< the recording that it waits for
    bool ran = false;
};
using work_pointer = std::shared_ptr<work>;

/// What one enqueued call keeps until it is proved complete.
struct entry {
    std::uint64_t at = 0;
    std::vector<std::shared_ptr<const void>> uses{};
    const std::byte* begin = nullptr;  ///< of host memory
    const std::byte* end = nullptr;
    bool writes_host = false;

    bool has(const void* what) const {
        for (const auto& one : uses) {
            if (one.get() == what) {
                return true;
            }
        }
        return false;
    }
    bool touches(const std::byte* from, const std::byte* to) const {
        return begin < to && from < end;
    }
};

/// A stream.
struct lane {
    std::size_t device = 0;
    std::uint64_t number = 0;  ///< of the plugin's stream
    bool is_default = false;
    bool non_blocking = false;
    spoc_stream handle = nullptr;  ///< null once the program gave it back
    bool closed = false;
    std::deque<work_pointer> queue{};
    std::deque<entry> ledger{};
    std::uint64_t committed = 0;

    /// Whether what is enqueued here runs before what comes on the default stream later.
    bool precedes_default() const {
        return is_default || (device != staging_device && !non_blocking);
    }
    /// Whether the driver orders the two by the times of the calls.
    bool is_ordered_with(const lane& other) const {
        return device == other.device && is_default != other.is_default && precedes_default() &&
               other.precedes_default();
    }
    bool needs(const void* what) const {
        for (const entry& one : ledger) {
            if (one.has(what)) {
                return true;
            }
        }
        return false;
    }
    /// Whether what is kept here writes this host memory.
    bool writes_host(const std::byte* from, const std::byte* to) const {
        for (const entry& one : ledger) {
            if (one.writes_host && one.touches(from, to)) {
                return true;
            }
        }
        return false;
    }
    void release(std::uint64_t at) {
        while (!ledger.empty() && ledger.front().at <= at) {
            ledger.pop_front();
        }
    }
};
using lane_pointer = std::shared_ptr<lane>;

/// Works, to be asked for by address.
using work_set = std::set<const work*>;

/// All streams.
struct machine {
    std::vector<lane_pointer> lanes{};

    /// Adds `one` and everything that has to run before it.
    void add_with_predecessors(const work& one, work_set& to) const;
    /// Adds everything that runs before what would be enqueued on `target` now.
    void add_before(const lane& target, work_set& to) const;
    void add_all(const lane& target, work_set& to) const;
    /// Whether everything that `one` waits for ran.
    bool may_run(const work& one) const;
    /// The streams with pending work that conflicts with one of these and is not in `ordered`.
    std::vector<lane*> conflicts(const std::vector<touch>& touches, const work_set& ordered) const;
    bool needs(const void* what) const;
    /// Whether work that is not proved complete touches this host memory.
    bool touches_host(const std::byte* from, const std::byte* to) const;
    /// Work that is pending.
    std::size_t pending() const;
};

}  // namespace spoc::model
