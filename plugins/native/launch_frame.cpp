// SPDX-License-Identifier: Apache-2.0
#include "launch_frame.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "memory.hpp"

namespace spoc::native {
namespace {

constexpr std::size_t scratch_align = 64;  ///< of shared memory and LOCAL arguments (spoc/native.h)
constexpr std::size_t scalar_align = 16;   ///< of each scalar

constexpr std::size_t round_up(std::size_t bytes, std::size_t align) {
    return (bytes + align - 1) / align * align;
}

/// Sum of the sizes of the arguments of one kind, each rounded up.
std::size_t sum(const spoc_be_launch& launch, uint32_t kind, std::size_t align) noexcept {
    std::size_t bytes = 0;
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
        bytes += launch.args[i].kind == kind ? round_up(launch.args[i].bytes, align) : 0;
    }
    return bytes;
}

}  // namespace

launch_frame::launch_frame(const spoc_be_launch& launch, uint32_t lanes) noexcept
    : lanes_(lanes),
      scalar_bytes_(round_up(sum(launch, SPOC_BE_PARAM_SCALAR, scalar_align), scratch_align)),
      table_bytes_(round_up(launch.arg_count * sizeof(void*), scratch_align)),
      lane_bytes_(table_bytes_ + round_up(launch.shared_bytes, scratch_align) +
                  sum(launch, SPOC_BE_PARAM_LOCAL, scratch_align)),
      has_shared_(launch.shared_bytes > 0) {}

launch_frame::~launch_frame() { std::free(heap_); }

std::byte* launch_frame::take_memory(std::size_t bytes) noexcept {
    void* place = inline_.data();
    std::size_t room = inline_.size();
    if (void* aligned = std::align(scratch_align, bytes, place, room)) {
        return static_cast<std::byte*>(aligned);
    }
    heap_ = static_cast<std::byte*>(std::aligned_alloc(scratch_align, bytes));
    return heap_;
}

bool launch_frame::build(const spoc_be_launch& launch) noexcept {
    memory_ = take_memory(scalar_bytes_ + lanes_ * lane_bytes_);
    if (memory_ == nullptr) {
        return false;
    }
    copy_scalars(launch);
    for (uint32_t lane = 0; lane < lanes_; ++lane) {
        fill_lane(launch, lane);
    }
    return true;
}

void* const* launch_frame::arguments(uint32_t lane) const noexcept {
    return reinterpret_cast<void* const*>(lane_start(lane));
}

void* launch_frame::shared(uint32_t lane) const noexcept {
    return has_shared_ ? lane_start(lane) + table_bytes_ : nullptr;
}

uint64_t launch_frame::scratch_bytes(const spoc_be_launch& launch) noexcept {
    uint64_t bytes = launch.shared_bytes;
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
        const spoc_be_arg& arg = launch.args[i];
        const uint64_t room = std::numeric_limits<uint64_t>::max() - bytes;
        bytes += arg.kind == SPOC_BE_PARAM_LOCAL ? std::min(arg.bytes, room) : 0;
    }
    return bytes;
}

std::byte* launch_frame::lane_start(uint32_t lane) const noexcept {
    return memory_ + scalar_bytes_ + lane * lane_bytes_;
}

void launch_frame::copy_scalars(const spoc_be_launch& launch) noexcept {
    std::byte* at = memory_;
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
        const spoc_be_arg& arg = launch.args[i];
        if (arg.kind == SPOC_BE_PARAM_SCALAR) {
            std::memcpy(at, arg.data, arg.bytes);
            at += round_up(arg.bytes, scalar_align);
        }
    }
}

void launch_frame::fill_lane(const spoc_be_launch& launch, uint32_t lane) noexcept {
    auto** table = reinterpret_cast<void**>(lane_start(lane));
    std::byte* scalar = memory_;
    std::byte* local =
        lane_start(lane) + table_bytes_ + round_up(launch.shared_bytes, scratch_align);
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
        const spoc_be_arg& arg = launch.args[i];
        if (arg.kind == SPOC_BE_PARAM_BUFFER) {
            table[i] = arg.buffer->bytes + arg.offset;
        } else if (arg.kind == SPOC_BE_PARAM_SCALAR) {
            table[i] = scalar;
            scalar += round_up(arg.bytes, scalar_align);
        } else {
            table[i] = local;
            local += round_up(arg.bytes, scratch_align);
        }
    }
}

}  // namespace spoc::native
