// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <spoc/backend.h>

#include "device.hpp"

namespace spoc::conformance {

/// The host end of a copy.
enum class host_end { ordinary, page_locked, registered };

inline constexpr std::array host_ends{host_end::ordinary, host_end::page_locked,
                                      host_end::registered};

/// As in the names of cases.
const char* name_of(host_end end);

/// The end that copies without WAIT can be queued with, where the device has it.
host_end usual_end(const device& dev);

/// Host memory of one kind, with contents and canaries around it. It must outlive the device's
/// work.
class host_side {
 public:
    /// Skips the case where the device takes no such memory.
    host_side(device& dev, host_end end, std::size_t bytes, std::uint64_t seed);

    /// `wanted` with this memory as its host end, from `offset` on.
    spoc_be_range range(spoc_be_range wanted, std::size_t offset) const {
        return with_pinned(wanted, memory_, margin + offset);
    }
    std::span<std::byte> bytes() const {
        return {memory_.data + margin, memory_.bytes - 2 * margin};
    }
    /// Fails when a canary changed.
    void expect_intact() const;

 private:
    static constexpr std::size_t margin = 256;
    static constexpr std::byte canary{0xC7};

    page_locked make(device& dev, host_end end, std::size_t bytes);
    page_locked register_pages(device& dev, std::size_t room);

    std::shared_ptr<byte_vector> own_;
    page_locked memory_;
};

}  // namespace spoc::conformance
