// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

#include "driver.hpp"

/// What the plugin asks of this driver in a way of its own.
namespace spoc::cudalike {

/// `SPOC_BE_HOST_*` of a host range; 0 for ordinary memory. A context is current.
std::uint32_t what_driver_knows_of(const void* host, std::uint64_t bytes) noexcept;

/// Enqueues a copy from memory of `source`'s; the device of `stream` is current.
driver::result copy_from_peer(spoc_be_stream stream, spoc_be_device source, driver::address to,
                              driver::address from, std::uint64_t bytes) noexcept;

/// Lets the current device, `device`, reach the memory of `peer` directly. Fails where the machine
/// has no such way.
driver::result reach_peer(const spoc_be_device_s& device, const spoc_be_device_s& peer) noexcept;

/// Has launches of a kernel take this much dynamic shared memory. Its device is current.
driver::result allow_shared(driver::function kernel, std::uint32_t bytes) noexcept;

}  // namespace spoc::cudalike
