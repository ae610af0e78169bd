// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <spoc/backend.h>

namespace spoc::native {

/// What the blocks of one launch are given: the scalars, copied once, and for each lane, because no
/// two blocks that run at once may share them, a table of argument pointers, the dynamic shared
/// memory and the LOCAL arguments.
class launch_frame {
 public:
    launch_frame(const spoc_be_launch& launch, uint32_t lanes) noexcept;
    ~launch_frame();
    launch_frame(const launch_frame&) = delete;
    launch_frame& operator=(const launch_frame&) = delete;

    /// False when there is no memory; otherwise the two functions below may be used.
    bool build(const spoc_be_launch& launch) noexcept;

    void* const* arguments(uint32_t lane) const noexcept;
    void* shared(uint32_t lane) const noexcept;

    /// Bytes of scratch that a block of the launch needs, shared memory and LOCAL arguments,
    /// without their alignment.
    static uint64_t scratch_bytes(const spoc_be_launch& launch) noexcept;

 private:
    std::byte* take_memory(std::size_t bytes) noexcept;
    std::byte* lane_start(uint32_t lane) const noexcept;
    void copy_scalars(const spoc_be_launch& launch) noexcept;
    void fill_lane(const spoc_be_launch& launch, uint32_t lane) noexcept;

    const uint32_t lanes_;
    const std::size_t scalar_bytes_;
    const std::size_t table_bytes_;
    const std::size_t lane_bytes_;
    const bool has_shared_;
    std::byte* memory_ = nullptr;
    std::byte* heap_ = nullptr;  ///< what of it has to be freed

    /// Enough for a handful of arguments on a few lanes, so that a small launch takes nothing from
    /// the heap. Aligned by hand: g++ 13 with AddressSanitizer gives objects on the stack no more
    /// than 32 bytes of alignment (GCC bug 110027).
    std::array<std::byte, 2048> inline_;
};

}  // namespace spoc::native
