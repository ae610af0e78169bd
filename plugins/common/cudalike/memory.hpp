// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

#include "driver.hpp"

struct spoc_be_buffer_s {
    spoc_be_buffer_s(spoc_be_device owner, spoc::driver::address start) noexcept
        : device(owner), address(start) {}

    const spoc_be_device device;
    const spoc::driver::address address;
};

namespace spoc::cudalike {

std::int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error);
std::int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                           spoc_be_buffer_result* result, spoc_be_error* error);
std::int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error);

}  // namespace spoc::cudalike
