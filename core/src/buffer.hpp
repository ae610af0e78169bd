// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include <spoc/buffer.h>

#include "counted_handle.hpp"
#include "device.hpp"
#include "device_object.hpp"
#include "host_storage.hpp"
#include "outcome.hpp"
#include "usable.hpp"

namespace spoc::detail {

/// Memory on a device. Handles, vectors and pending work share it; it is freed with the last of
/// them.
class device_memory : public device_object, public usable {
 public:
    device_memory(spoc_device device, std::uint64_t bytes) noexcept
        : device_object(device), bytes_(bytes) {}
    /// Memory of a device that works in the host's: it is these bytes, which it keeps alive.
    device_memory(spoc_device device, std::uint64_t bytes, std::shared_ptr<host_storage> over)
        : device_object(device), bytes_(bytes), over_(std::move(over)) {}
    ~device_memory() override { static_cast<void>(finish()); }

    /// Has the plugin allocate; nothing for 0 bytes. When the device is out of memory it is asked
    /// once more after the library gave back what it can.
    outcome allocate();
    /// Frees it now, since its handle is gone; pending work does not use it.
    outcome drop() { return finish(); }
    /// The same because the program says so.
    outcome release() {
        by_program_.store(true);
        return finish();
    }
    outcome end() override;

    /// Whether it is a vector's host storage.
    bool is_host_storage() const noexcept { return over_ != nullptr; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t allocated() const noexcept { return allocated_; }
    std::uint64_t device_address() const noexcept { return device_address_; }
    spoc_be_buffer handle() const noexcept { return handle_; }

    /// Fails when a shutdown freed the memory.
    outcome check_usable() const;

 private:
    std::int32_t create(plugin_error& error);

    const std::uint64_t bytes_;
    const std::shared_ptr<host_storage> over_;
    spoc_be_buffer handle_ = nullptr;
    std::uint64_t allocated_ = 0;
    std::uint64_t device_address_ = 0;
    std::atomic<bool> ended_{false};
    std::atomic<bool> by_program_{false};  ///< freed by it, for the accounts
};

/// Fails with TOO_LARGE when `device` allocates no buffer of this size.
outcome check_buffer_size(const spoc_device_s& device, std::uint64_t bytes);

}  // namespace spoc::detail

/// A handle on device memory.
struct spoc_buffer_s {
    spoc_buffer_s(spoc_device where, std::uint64_t size_bytes)
        : device(where),
          bytes(size_bytes),
          memory(std::make_shared<spoc::detail::device_memory>(where, size_bytes)),
          counted(spoc::detail::handle_kind::buffer, where->accounts(), size_bytes) {}

    /// Fails when the program freed the memory.
    spoc::detail::outcome check_not_freed() const;

    const spoc_device device;
    const std::uint64_t bytes;
    std::shared_ptr<spoc::detail::device_memory> memory;  ///< null once the program freed it
    spoc::detail::counted_handle counted;
};
