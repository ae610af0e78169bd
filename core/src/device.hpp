// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include <spoc/buffer.h>
#include <spoc/device.h>

#include "outcome.hpp"
#include "plugin.hpp"

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

    /// Held while the default stream is used: its entries are of thread class H.
    std::mutex& default_stream_mutex() noexcept { return stream_mutex_; }

    /// What a failed entry means; a lost device is remembered.
    spoc::detail::outcome failure(std::int32_t status, const spoc_be_error& error,
                                  std::uint32_t fallback);

    /// Fails when the device belongs to a runtime that was shut down.
    spoc::detail::outcome check_current() const;

    /// When it was opened, counted over all devices; 0 when it is not open.
    std::uint64_t opened() const noexcept { return opened_; }

    /// Live buffers, for shutdown.
    void add(spoc_buffer buffer);
    void remove(spoc_buffer buffer);
    /// Frees a buffer's memory unless shutdown, which may be under way on another thread, did.
    spoc::detail::outcome release_if_live(spoc_buffer buffer);

    /// Page-locked memory through which ordinary memory is copied where the device asks for it;
    /// made on first need and kept. Use under `default_stream_mutex`. Null handle in `out` when it
    /// could not be made.
    spoc::detail::outcome staging(spoc_be_hostmem_result& out);
    /// Gives the staging memory back; for shutdown, and when the device is out of memory.
    void release_staging();

    /// Destroys what is alive and closes the device. No other call may be in flight.
    void close();

 private:
    spoc::detail::outcome open_locked();
    void release_buffers();

    spoc::detail::plugin& owner_;
    const spoc_be_device_info info_;
    const std::uint32_t id_;
    const std::string backend_;
    const std::string selector_;

    std::atomic<spoc_be_device> handle_{nullptr};
    spoc_be_stream default_stream_ = nullptr;
    std::atomic<bool> lost_{false};
    std::atomic<bool> closed_{false};  ///< by a shutdown
    std::uint64_t opened_ = 0;

    std::mutex stream_mutex_;
    spoc_be_hostmem_result staging_{};

    std::mutex buffers_mutex_;
    std::unordered_set<spoc_buffer> buffers_;
};
