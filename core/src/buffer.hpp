// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/buffer.h>

#include "device.hpp"
#include "outcome.hpp"

/// Device memory that the application holds. The application owns the object; shutdown takes only
/// the memory away.
struct spoc_buffer_s {
    spoc_buffer_s(spoc_device where, std::uint64_t size_bytes) : device(where), bytes(size_bytes) {}
    spoc_buffer_s(const spoc_buffer_s&) = delete;
    spoc_buffer_s& operator=(const spoc_buffer_s&) = delete;

    /// Allocates the memory; once, and not for 0 bytes.
    spoc::detail::outcome allocate();

    /// Frees the memory if there is any.
    spoc::detail::outcome release();

    /// Whether the memory is there to be used; an empty buffer needs none.
    bool usable() const noexcept { return handle != nullptr || (bytes == 0 && !released); }

    const spoc_device device;
    const std::uint64_t bytes;
    spoc_be_buffer handle = nullptr;
    std::uint64_t allocated = 0;
    std::uint64_t device_address = 0;
    bool released = false;  ///< by a shutdown
};
