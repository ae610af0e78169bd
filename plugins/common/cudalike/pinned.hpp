// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

struct spoc_be_hostmem_s {
    spoc_be_hostmem_s(spoc_be_device owner, void* start) noexcept : device(owner), host(start) {}

    const spoc_be_device device;
    void* const host;  ///< as the driver knows it
};

namespace spoc::cudalike {

std::int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                          spoc_be_hostmem_result* result, spoc_be_error* error);
std::int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error);
std::int32_t host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                           spoc_be_hostmem_result* result, spoc_be_error* error);
std::int32_t host_unregister(spoc_be_hostmem hostmem, spoc_be_error* error);
std::int32_t host_query(spoc_be_device device, const void* host, std::uint64_t bytes,
                        std::uint32_t* flags, spoc_be_error* error);

}  // namespace spoc::cudalike
