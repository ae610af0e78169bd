// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <spoc/device.h>

#include "accounting.hpp"
#include "device_object.hpp"
#include "function_ref.hpp"
#include "outcome.hpp"
#include "plugin.hpp"
#include "slot_pool.hpp"
#include "staging_ring.hpp"

/// A device of a ready backend. Never freed: handles stay valid to pass for the life of the
/// process.
struct spoc_device_s {
    spoc_device_s(spoc::detail::plugin& owner, const spoc_be_device_info& info, std::uint32_t id);
    spoc_device_s(const spoc_device_s&) = delete;
    spoc_device_s& operator=(const spoc_device_s&) = delete;

    const spoc_be_table& table() const noexcept { return owner_.table(); }
    const spoc_be_device_info& info() const noexcept { return info_; }
    spoc::detail::plugin& owner() const noexcept { return owner_; }
    std::string_view backend() const noexcept { return backend_; }
    std::string_view selector() const noexcept { return selector_; }
    const char* backend_text() const noexcept { return backend_.c_str(); }
    const char* selector_text() const noexcept { return selector_.c_str(); }
    std::uint32_t id() const noexcept { return id_; }

    /// Whether the device answers "yes" to a capability.
    bool offers(std::uint32_t capability) const noexcept;

    /// Opens the device if it is not. Fails when the device is lost or was closed by a shutdown.
    spoc::detail::outcome open();

    /// The plugin's handles; after `open`.
    spoc_be_device handle() const noexcept { return handle_.load(std::memory_order_acquire); }
    spoc_be_stream default_stream() const noexcept { return default_stream_; }

    /// The default stream with its ledger; after `open`.
    const std::shared_ptr<spoc::detail::stream_state>& default_queue() const noexcept {
        return default_queue_;
    }

    /// What a failed entry means; a lost device is remembered.
    spoc::detail::outcome failure(std::int32_t status, const spoc_be_error& error,
                                  std::uint32_t fallback);

    /// Whether an entry has said that the device is lost.
    bool is_lost() const noexcept { return lost_.load(); }

    /// Fails when the device belongs to a runtime that was shut down.
    spoc::detail::outcome check_current() const;

    /// When it was opened, counted over all devices; 0 when it is not open.
    std::uint64_t opened() const noexcept { return opened_; }

    /// What was made on the device, for shutdown.
    void add(spoc::detail::device_object& object);
    /// Calls the object's `end`, unless somebody did.
    spoc::detail::outcome end(spoc::detail::device_object& object);

    /// Streams of the program's own.
    void add_stream(const std::shared_ptr<spoc::detail::stream_state>& stream);
    /// The program gave its handle back: the stream is kept until `reap` finds it idle.
    void abandon(std::shared_ptr<spoc::detail::stream_state> stream) noexcept;
    /// Ends abandoned streams that are idle. Does not wait.
    void reap() noexcept;
    /// All streams that are alive, the default stream first.
    std::vector<std::shared_ptr<spoc::detail::stream_state>> streams();
    /// Waits for one after the other of the streams that `concerns` is true of, and is no more once
    /// their work is complete. Another thread may close them meanwhile.
    spoc::detail::outcome settle(
        spoc::detail::function_ref<bool(const spoc::detail::stream_state&)> concerns);
    /// Waits for every stream; releases what their work needed if all of it is complete.
    spoc::detail::outcome synchronize();

    /// How memory moves from `source`, also open, to this device: `SPOC_BE_PEER_*` mask, 0 when
    /// they are of two backends or the driver has no such thing. The driver is asked once.
    spoc::detail::outcome peer_ways_from(spoc_device_s& source, std::uint32_t& out_ways);

    /// Page-locked memory through which ordinary memory is copied where the device asks for it.
    spoc::detail::slot_pool& slots() noexcept { return slots_; }
    /// Page-locked memory through which small writes are staged.
    spoc::detail::staging_ring& ring() noexcept { return ring_; }
    /// Accounts of what the library holds on the device.
    spoc::detail::account& accounts() noexcept { return accounts_; }
    /// Frees what the library itself holds on the device and can do without for now. Does not wait.
    void give_back();

    /// Destroys what is alive and closes the device. No other call may be in flight.
    void close();

 private:
    /// A stream of the program's own; `kept` is set once its handle was given back.
    struct listed_stream {
        std::weak_ptr<spoc::detail::stream_state> stream;
        std::shared_ptr<spoc::detail::stream_state> kept;
    };

    spoc::detail::outcome open_locked();
    void end_objects();
    void forget_streams();

    spoc::detail::plugin& owner_;
    const spoc_be_device_info info_;
    const std::uint32_t id_;
    const std::string backend_;
    const std::string selector_;

    std::atomic<spoc_be_device> handle_{nullptr};
    spoc_be_stream default_stream_ = nullptr;
    std::shared_ptr<spoc::detail::stream_state> default_queue_;
    std::atomic<bool> lost_{false};
    std::atomic<bool> closed_{false};  ///< by a shutdown
    std::uint64_t opened_ = 0;

    spoc::detail::account accounts_;
    spoc::detail::slot_pool slots_;
    spoc::detail::staging_ring ring_;

    std::mutex streams_mutex_;
    std::list<listed_stream> streams_;

    std::mutex peers_mutex_;
    std::map<std::uint32_t, std::uint32_t> peers_;  ///< by the source's id

    std::mutex objects_mutex_;
    std::condition_variable object_ended_;
    std::unordered_set<spoc::detail::device_object*> objects_;
    std::size_t ending_ = 0;  ///< objects that the program is ending at this moment
    spoc::detail::device_object* shutting_down_ = nullptr;  ///< that a shutdown is ending
};
