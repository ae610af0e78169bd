// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <spoc/vector.h>

#include "buffer.hpp"
#include "counted_handle.hpp"
#include "host_storage.hpp"
#include "outcome.hpp"
#include "sole_use.hpp"
#include "transfer.hpp"

namespace spoc::detail {

class session;
struct order;

/// What a vector's elements are.
struct element_type {
    std::uint32_t kind;  ///< `SPOC_KIND_*`
    std::uint64_t bytes;
};

/// Which copy is up to date, and the device that the state names.
struct vector_location {
    std::uint32_t state = SPOC_LOCATION_HOST;
    spoc_device device = nullptr;  ///< null only for HOST

    /// Whether the host's copy is up to date.
    bool host_is_fresh() const noexcept {
        return state != SPOC_LOCATION_DEVICE && state != SPOC_LOCATION_STALE_HOST;
    }
    /// Whether the named device's copy is up to date.
    bool device_is_fresh() const noexcept {
        return state != SPOC_LOCATION_HOST && state != SPOC_LOCATION_STALE_DEVICE;
    }
    bool is_fresh_on(spoc_device other) const noexcept {
        return device_is_fresh() && device == other;
    }
};

/// What a launch does with a vector.
struct launch_use {
    bool writes;
    bool overwrites;  ///< every byte, so that what was there does not count
    bool settles;     ///< it names no stream: other work on the memory comes first
};

/// A vector's memory for a launch, and how things were before, in case the launch fails.
struct launch_place {
    std::shared_ptr<device_memory> memory;  ///< until the launch's needs take it
    bool in_host_storage = false;           ///< it is the vector's host storage
    vector_location before;
    bool made = false;  ///< the memory was made for this
};
struct vector_family;

/// Bytes of a vector that a ranged copy moves, and the host memory at the other end.
struct vector_range {
    std::uint64_t offset;
    std::byte* host;  ///< only read when `to_device`
    std::uint64_t bytes;
    bool to_device;
    bool staged = false;  ///< `host` is taken during the call
};

/// Checks kind and size of elements, and that the size of all of them does not overflow.
outcome check_elements(const element_type& element, std::uint64_t count);

/// Checks that `count` elements from `first` on are elements of the vector.
outcome check_element_range(const spoc_vector_s& vector, std::uint64_t first, std::uint64_t count);

}  // namespace spoc::detail

/// A vector. The one rule of all that moves whole vectors: bytes come from a device through
/// `read_back` alone, and the location changes last, so that a failure leaves it as it was. Views
/// are in vector_view.cpp, buffers made over host memory in host_pointer.cpp, unified memory in
/// unified.cpp.
struct spoc_vector_s {
 public:
    /// `host` may be null: device-only.
    spoc_vector_s(spoc::detail::element_type element, std::uint64_t count,
                  std::shared_ptr<spoc::detail::host_storage> host);
    spoc_vector_s(const spoc_vector_s&) = delete;
    spoc_vector_s& operator=(const spoc_vector_s&) = delete;
    ~spoc_vector_s();

    /// A device that it will be used on.
    void expect_on(spoc_device device) noexcept;
    /// Takes the memory of a vector that lives on `device` from its start.
    spoc::detail::outcome place_on(spoc_device device);
    /// Takes host storage that `device` addresses too; there was none. Nothing was made when it
    /// fails.
    spoc::detail::outcome place_unified(spoc_device device);
    /// Makes a buffer over the host storage, whose copy is up to date then; BOTH.
    spoc::detail::outcome place_host_pointer(spoc::detail::session& call, spoc_device device);

    /// To be held by every call that uses the vector.
    spoc::detail::sole_use claim() noexcept { return {user_, id_}; }

    spoc_vector_info describe() const noexcept;
    std::uint32_t link(spoc_device device) const noexcept;
    void set_auto_sync(bool on) noexcept { auto_sync_ = on; }

    /// Makes the host's copy up to date for somebody who reads it.
    spoc::detail::outcome read(spoc::detail::session& call);
    spoc::detail::outcome begin_write(spoc::detail::session& call, bool all);
    spoc::detail::outcome end_write(spoc::detail::session& call);
    /// Fails with DEVICE_ONLY where there is none.
    spoc::detail::outcome check_has_host() const;
    std::byte* host() const noexcept { return host_->start(); }
    const spoc::detail::element_type& element() const noexcept { return element_; }
    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t bytes() const noexcept { return element_.bytes * count_; }

    spoc::detail::outcome to_device(spoc::detail::session& call, spoc_device device);
    spoc::detail::outcome to_host(spoc::detail::session& call, bool force);
    spoc::detail::outcome sync(spoc::detail::session& call);

    spoc::detail::outcome copy_range(spoc::detail::session& call,
                                     const spoc::detail::vector_range& range,
                                     const spoc::detail::order& wanted, const spoc_owner* owner);

    /* Launches: vector_launch.cpp. */

    /// Whether a kernel on `device` may be given the vector now.
    spoc::detail::outcome check_launch(spoc_device device) const;
    /// The host's bytes where they are what a kernel on `device` works in, else null.
    const std::byte* storage_of(spoc_device device) const noexcept;
    /// Makes what the launch uses ready on `device`. Fills `out` as far as it comes.
    spoc::detail::outcome prepare(spoc::detail::session& call, spoc_device device,
                                  const spoc::detail::launch_use& use,
                                  spoc::detail::launch_place& out);
    /// The launch failed.
    void undo(spoc_device device, const spoc::detail::launch_place& place) noexcept;
    /// The launch is on its way, and writes the vector.
    /// `in_host_storage`: its memory there is the host's.
    void was_written(spoc_device device, bool in_host_storage) noexcept;
    /// The memory on `device`, or null.
    std::shared_ptr<spoc::detail::device_memory> memory_for(spoc_device device) const noexcept {
        return memory_on(device);
    }
    spoc::detail::outcome install(spoc_device device, spoc_buffer_s& buffer);

    spoc::detail::outcome free_buffer(spoc::detail::session& call, spoc_device device);
    spoc::detail::outcome free_all(spoc::detail::session& call);

    spoc::detail::outcome view(spoc::detail::session& call, std::uint64_t first,
                               std::uint64_t count, std::unique_ptr<spoc_vector_s>& out);
    spoc::detail::outcome gather(spoc::detail::session& call);

    spoc::detail::outcome acquire(spoc::detail::session& call, spoc_device device);
    spoc::detail::outcome publish(spoc::detail::session& call, spoc_device device);
    /// Waits for work on buffers over host memory that nobody but the program keeps, which is about
    /// to take it back. A wait that fails leaves the buffers to that work.
    void wait_for_bare_memory() noexcept;

 private:
    using memory_pointer = std::shared_ptr<spoc::detail::device_memory>;

    bool is_device_only() const noexcept { return host_ == nullptr; }
    memory_pointer memory_on(spoc_device device) const noexcept;
    /// The same where it stands, or null: for a look at it, which need not be counted.
    const memory_pointer* look_at(spoc_device device) const noexcept;
    /// The memory on `device`, made when there is none; `out_made` tells.
    spoc::detail::outcome make_memory(spoc_device device, memory_pointer& out, bool& out_made);
    void drop_memory(spoc_device device) noexcept;

    spoc::detail::outcome freshen_host(spoc::detail::session& call);
    spoc::detail::outcome check_transferable() const;
    /// Fails with STALE_HOST unless the host's old copy may be brought up to date unasked;
    /// `asker_may`: the switch of the vector that needs it.
    spoc::detail::outcome check_auto_sync(bool asker_may) const;
    spoc::detail::outcome check_has_current() const;
    /// Fails with SHUT_DOWN when the host storage was unified memory of an ended runtime.
    spoc::detail::outcome check_host_is_there() const;
    /// Fails with BUSY while something else needs the memory, which is to be freed.
    spoc::detail::outcome check_can_go(const spoc::detail::device_memory& memory) const;
    spoc::detail::outcome check_free() const;

    /// Waits for enqueued work that uses the memory and that the default stream is not ordered
    /// after; where memory is shared with the host, for all.
    spoc::detail::outcome settle(spoc::detail::device_memory& memory);
    /// The same for all memory that is the same bytes.
    spoc::detail::outcome settle_sharers(spoc::detail::device_memory& memory);
    /// Memory of this vector and of its relatives, work on which may touch the host's copy.
    std::vector<memory_pointer> host_memories() const;
    /// Has the host's copy to itself, to read or to write it; `leave_host` ends the writing.
    spoc::detail::outcome enter_host(spoc::detail::session& call, bool write);
    spoc::detail::outcome leave_host(spoc::detail::session& call);
    spoc::detail::outcome move_bytes(const memory_pointer& memory, bool to_device);
    spoc::detail::outcome move_whole(spoc::detail::session& call, const memory_pointer& memory,
                                     bool to_device);
    spoc::detail::outcome read_back(spoc::detail::session& call);
    spoc::detail::outcome upload(spoc::detail::session& call, spoc_device device);
    /// Brings to the host what only `device`, whose memory is about to go, has.
    spoc::detail::outcome save_from(spoc::detail::session& call, spoc_device device);
    /// Moves the host's copy out of memory that is about to go, if it is there.
    spoc::detail::outcome leave_unified(spoc::detail::session& call, const memory_pointer& memory);
    /// The memory on `device` is gone.
    void forget(spoc_device device) noexcept;

    /// Takes memory of a kind that is made over the host storage.
    spoc::detail::outcome make_over_host(spoc_device device, memory_pointer& out);
    /// The buffer on `device` that shares the host's bytes; LINK where there is none.
    spoc::detail::outcome find_shared(spoc_device device, memory_pointer& out) const;

    void join(const std::shared_ptr<spoc::detail::vector_family>& family, spoc_vector_s* parent);
    void leave_family() noexcept;
    /// Under the family's mutex.
    bool is_view_of(const spoc_vector_s& other) const noexcept;
    bool has_relatives() const;
    bool shares_elements(const spoc_vector_s& other) const noexcept;
    /// All that are views of this.
    std::vector<spoc_vector_s*> views() const;
    /// Those that this is a view of and that a device has a newer copy of.
    std::vector<spoc_vector_s*> newer_parents() const;
    /// Fails with BUSY or STALE_HOST where a relative stands in the way.
    spoc::detail::outcome check_relatives() const;
    /// Brings to the host what vectors that this is a view of have newer; unless `asked`, only
    /// where that may be done unasked.
    spoc::detail::outcome freshen_parents(spoc::detail::session& call, bool asked);
    /// The host's copy was written: what those have on devices is old.
    void outdate_parents() noexcept;
    spoc::detail::outcome drain(spoc::detail::session& call);

    const spoc::detail::element_type element_;
    const std::uint64_t count_;
    const std::uint64_t id_;
    std::shared_ptr<spoc::detail::host_storage> host_;
    std::vector<memory_pointer> memories_;  ///< at most one a device
    spoc::detail::vector_location location_;
    bool auto_sync_ = true;
    bool writing_ = false;  ///< between `begin_write` and `end_write`
    bool freed_ = false;    ///< device-only, and its memory is gone
    spoc::detail::user_tag user_{0};
    spoc::detail::counted_handle counted_;
    std::shared_ptr<spoc::detail::vector_family> family_;  ///< null: no views, and none itself
    spoc_vector_s* parent_ = nullptr;                      ///< under the family's mutex
    std::uint32_t depth_ = 0;                              ///< as it was made
};
