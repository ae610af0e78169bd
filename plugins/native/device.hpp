// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include <spoc/backend.h>

#include "stream.hpp"

struct spoc_be_device_s {
    spoc_be_stream_s default_stream{SPOC_BE_STREAM_TIMING};

    // For `buffer_destroy` of a host range, which waits for work that uses the range.
    std::mutex mutex;
    std::condition_variable range_released;
};

namespace spoc::native {

/// Limits that the plugin sets itself. A block is a loop on one thread, so hardware gives no
/// figure; these leave room for any kernel written for a GPU and keep the count of blocks below
/// 2^63.
inline constexpr uint32_t max_block_threads = 65536;
inline constexpr uint32_t max_grid[3] = {0x7FFFFFFF, 65535, 65535};
/// Scratch of a block in bytes: dynamic shared memory and LOCAL arguments together.
inline constexpr uint64_t max_shared_bytes = uint64_t{1} << 20;

int32_t device_count(uint32_t* count, spoc_be_error* error);
int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error);
int32_t device_open(uint32_t index, const spoc_be_device_desc* desc, spoc_be_device_result* result,
                    spoc_be_error* error);
int32_t device_close(spoc_be_device device, spoc_be_error* error);
int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error);

}  // namespace spoc::native
