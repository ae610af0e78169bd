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

/// What device memory is, of the kinds that a plugin makes.
enum class memory_kind : std::uint32_t {
    device = SPOC_BE_BUFFER_DEVICE,          ///< memory of the device's own
    host_range = SPOC_BE_BUFFER_HOST_RANGE,  ///< is host memory
    host_pointer = SPOC_BE_BUFFER_HOST_PTR,  ///< made over host memory
    unified = SPOC_BE_BUFFER_UNIFIED         ///< memory that both sides address
};

/// Memory on a device. Handles, vectors and pending work share it; it is freed with the last of
/// them.
class device_memory : public device_object, public usable {
 public:
    device_memory(spoc_device device, std::uint64_t bytes) noexcept
        : device_object(device), bytes_(bytes) {}
    /// Memory of another kind. `over`: the host memory that it is or is made over, which it keeps
    /// alive; null for one that is neither.
    device_memory(spoc_device device, std::uint64_t bytes, memory_kind kind,
                  std::shared_ptr<host_storage> over)
        : device_object(device), bytes_(bytes), kind_(kind), over_(std::move(over)) {}
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

    memory_kind kind() const noexcept { return kind_; }
    /// Whether it is a vector's host storage: nothing is moved between the two.
    bool is_host_storage() const noexcept {
        return kind_ == memory_kind::host_range || kind_ == memory_kind::unified;
    }
    /// Whether work on it may touch a vector's host storage.
    bool shares_host() const noexcept { return kind_ != memory_kind::device; }
    /// Whether the plugin has to be told when the host touches it, and no work may run on the
    /// device meanwhile.
    bool is_guarded() const noexcept;
    /// Tells the plugin what the host does with all of it (`SPOC_BE_HOST_*`).
    outcome host_access(std::uint32_t operation);
    /// Whether the host said that it writes, and not yet that it wrote.
    bool host_is_writing() const noexcept { return host_is_writing_; }
    /// Where the host addresses unified memory.
    void* host_address() const noexcept { return host_address_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t allocated() const noexcept { return allocated_; }
    std::uint64_t device_address() const noexcept { return device_address_; }
    spoc_be_buffer handle() const noexcept { return handle_; }

    /// Fails when a shutdown freed the memory.
    outcome check_usable() const;
    /// True then.
    const std::atomic<bool>& ended() const noexcept { return ended_; }

 private:
    std::int32_t create(plugin_error& error);

    const std::uint64_t bytes_;
    const memory_kind kind_ = memory_kind::device;
    const std::shared_ptr<host_storage> over_;
    spoc_be_buffer handle_ = nullptr;
    std::uint64_t allocated_ = 0;
    std::uint64_t device_address_ = 0;
    void* host_address_ = nullptr;
    bool host_is_writing_ = false;
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
