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
    std::shared_ptr<device_memory> memory;
    vector_location before;
    bool made = false;  ///< the memory was made for this
};

/// Bytes of a vector that a ranged copy moves, and the host memory at the other end.
struct vector_range {
    std::uint64_t offset;
    std::byte* host;  ///< only read when `to_device`
    std::uint64_t bytes;
    bool to_device;
    bool staged = false;  ///< `host` is taken during the call
};

}  // namespace spoc::detail

/// A vector. The one rule of all that moves whole vectors: bytes come from a device through
/// `read_back` alone, and the location changes last, so that a failure leaves it as it was.
struct spoc_vector_s {
 public:
    /// `host` may be null: device-only.
    spoc_vector_s(spoc::detail::element_type element, std::uint64_t count,
                  std::shared_ptr<spoc::detail::host_storage> host);
    spoc_vector_s(const spoc_vector_s&) = delete;
    spoc_vector_s& operator=(const spoc_vector_s&) = delete;

    /// A device that it will be used on.
    void expect_on(spoc_device device) noexcept;
    /// Takes the memory of a vector that lives on `device` from its start.
    spoc::detail::outcome place_on(spoc_device device);

    /// To be held by every call that uses the vector.
    spoc::detail::sole_use claim() noexcept { return {user_, id_}; }

    spoc_vector_info describe() const noexcept;
    std::uint32_t link(spoc_device device) const noexcept;
    void set_auto_sync(bool on) noexcept { auto_sync_ = on; }

    /// Makes the host's copy up to date for somebody who reads or writes it.
    spoc::detail::outcome freshen_host(spoc::detail::session& call);
    spoc::detail::outcome begin_write(spoc::detail::session& call, bool all);
    spoc::detail::outcome end_write() noexcept;
    /// Fails with DEVICE_ONLY where there is none.
    spoc::detail::outcome check_has_host() const;
    std::byte* host() const noexcept { return host_->start(); }

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
    void was_written(spoc_device device, const spoc::detail::device_memory& memory) noexcept;
    /// The memory on `device`, or null.
    std::shared_ptr<spoc::detail::device_memory> memory_for(spoc_device device) const noexcept {
        return memory_on(device);
    }
    spoc::detail::outcome install(spoc_device device, spoc_buffer_s& buffer);

    spoc::detail::outcome free_buffer(spoc::detail::session& call, spoc_device device);
    spoc::detail::outcome free_all(spoc::detail::session& call);

 private:
    using memory_pointer = std::shared_ptr<spoc::detail::device_memory>;

    std::uint64_t bytes() const noexcept { return element_.bytes * count_; }
    bool is_device_only() const noexcept { return host_ == nullptr; }
    memory_pointer memory_on(spoc_device device) const noexcept;
    /// The memory on `device`, made when there is none; `out_made` tells.
    spoc::detail::outcome make_memory(spoc_device device, memory_pointer& out, bool& out_made);
    void drop_memory(spoc_device device) noexcept;

    spoc::detail::outcome check_transferable() const;
    spoc::detail::outcome check_has_current() const;
    spoc::detail::outcome check_not_in_flight(const spoc::detail::device_memory& memory) const;
    spoc::detail::outcome check_free() const;

    /// Waits for enqueued work that uses the memory and that the default stream is not ordered
    /// after; where memory is shared with the host, for all.
    spoc::detail::outcome settle(spoc::detail::device_memory& memory);
    /// The same for memory that is the host's copy itself, before anybody else touches that.
    spoc::detail::outcome settle_host();
    spoc::detail::outcome settle_host(spoc::detail::session& call);
    spoc::detail::outcome move_whole(const memory_pointer& memory, bool to_device);
    spoc::detail::outcome read_back();
    spoc::detail::outcome upload(spoc_device device);
    /// Brings to the host what only `device`, whose memory is about to go, has.
    spoc::detail::outcome save_from(spoc_device device);
    /// The memory on `device` is gone.
    void forget(spoc_device device) noexcept;

    const spoc::detail::element_type element_;
    const std::uint64_t count_;
    const std::uint64_t id_;
    const std::shared_ptr<spoc::detail::host_storage> host_;
    std::vector<memory_pointer> memories_;  ///< at most one a device
    spoc::detail::vector_location location_;
    bool auto_sync_ = true;
    bool writing_ = false;  ///< between `begin_write` and `end_write`
    bool freed_ = false;    ///< device-only, and its memory is gone
    spoc::detail::user_tag user_{0};
    spoc::detail::counted_handle counted_;
};
