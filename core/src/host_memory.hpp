// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <spoc/host_memory.h>

#include "counted_handle.hpp"
#include "device_object.hpp"
#include "lent_memory.hpp"
#include "usable.hpp"

namespace spoc::detail {

/// Has the plugin allocate `bytes` bytes of page-locked memory. Fewer than `least` are none; `out`
/// then still names what came, and names nothing after any other failure.
outcome allocate_page_locked(spoc_device_s& device, std::uint64_t bytes, std::uint64_t least,
                             spoc_be_hostmem_result& out);

/// A live range of page-locked host memory. In the process's table from when it is made until it is
/// ended.
class host_range : public device_object, public usable {
 public:
    explicit host_range(spoc_device device) noexcept : device_object(device) {}
    ~host_range() override;

    /// Has the plugin allocate the memory, and enters it into the table.
    static outcome allocate(const std::shared_ptr<host_range>& range, std::uint64_t bytes);
    /// Enters memory of the program's into the table and registers it with the driver.
    static outcome register_memory(const std::shared_ptr<host_range>& range, void* start,
                                   std::uint64_t bytes, std::uint32_t flags,
                                   std::shared_ptr<lent_memory> owner);

    /// Frees or unregisters. Where an unregistering fails the range stays as it is.
    outcome release();
    outcome end() override;

    /// Fails with BUSY while pending work may touch the range, and while a vector lies over memory
    /// that would be gone.
    outcome check_can_go() const;
    /// The program gave its handle back: whatever work touches the range keeps it.
    static void leave(std::shared_ptr<host_range> range) noexcept;
    /// False once it was ended, also by a shutdown.
    bool is_listed() const noexcept { return listed_.load(std::memory_order_acquire); }

    std::byte* start() const noexcept { return start_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    bool is_registered() const noexcept { return registered_; }
    bool is_read_only() const noexcept { return read_only_; }
    /// The plugin's handle; null where the range is only recorded.
    spoc_be_hostmem handle() const noexcept { return handle_.load(std::memory_order_acquire); }
    /// Whether a copy on `device` may name the handle.
    bool serves(const spoc_device_s& device) const noexcept;

 private:
    locked_memory purpose() const noexcept {
        return registered_ ? locked_memory::registered : locked_memory::allocated;
    }
    outcome allocate_memory(std::uint64_t bytes);
    outcome register_with_driver();
    /// Enters it into the accounts and has it stay in the table.
    void enlist() noexcept;
    void forget() noexcept;

    std::byte* start_ = nullptr;
    std::uint64_t bytes_ = 0;
    bool registered_ = false;
    bool read_only_ = false;
    bool portable_ = false;
    std::atomic<bool> listed_{false};  ///< in the table
    /// Others may copy the bytes while they are being registered.
    std::atomic<spoc_be_hostmem> handle_{nullptr};
    std::shared_ptr<lent_memory> owner_;
};

}  // namespace spoc::detail

/// A handle on page-locked memory.
struct spoc_host_memory_s {
    std::shared_ptr<spoc::detail::host_range> range;  ///< null once the program released it
    spoc::detail::counted_handle counted{};
};
