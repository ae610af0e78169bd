// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

#include "stream.hpp"

namespace spoc::asynchronous {

/// A device: one of the native plugin's, which makes any number, all of one memory.
struct device {
    device(spoc_be_device below, spoc_be_stream stream_below) noexcept
        : base(below), default_stream(stream_below, SPOC_BE_STREAM_TIMING) {}

    static device& of(spoc_be_device handle) { return *reinterpret_cast<device*>(handle); }
    spoc_be_device handle() { return reinterpret_cast<spoc_be_device>(this); }

    const spoc_be_device base;
    stream default_stream;
};

int32_t device_count(uint32_t* count, spoc_be_error* error);
int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error);
int32_t device_open(uint32_t index, const spoc_be_device_desc* desc, spoc_be_device_result* result,
                    spoc_be_error* error);
int32_t device_close(spoc_be_device device, spoc_be_error* error);
int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error);
int32_t peer_query(spoc_be_device src, spoc_be_device dst, uint32_t* flags, spoc_be_error* error);

}  // namespace spoc::asynchronous
