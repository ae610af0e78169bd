// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::asynchronous {

/// A page-locked range: a block of the native plugin's, or a range of the application's that was
/// registered. All that live are linked, so that a range can be looked up.
class host_memory {
 public:
    host_memory(spoc_be_hostmem below, const void* start, uint64_t length) noexcept
        : base(below), begin(reinterpret_cast<uintptr_t>(start)), end(begin + length) {}

    static host_memory* of(spoc_be_hostmem handle) {
        return reinterpret_cast<host_memory*>(handle);
    }
    spoc_be_hostmem handle() { return reinterpret_cast<spoc_be_hostmem>(this); }

    const spoc_be_hostmem base;  ///< null: registered
    const uintptr_t begin;
    const uintptr_t end;
    host_memory* next = nullptr;  ///< under the lock
};

/// What a registration's start and length are multiples of.
inline constexpr uint32_t register_align = 4096;

int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error);
int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error);
int32_t host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                      spoc_be_hostmem_result* result, spoc_be_error* error);
int32_t host_unregister(spoc_be_hostmem hostmem, spoc_be_error* error);
int32_t host_query(spoc_be_device device, const void* host, uint64_t bytes, uint32_t* flags,
                   spoc_be_error* error);

}  // namespace spoc::asynchronous
