// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The entries of the table; spoc/backend.h says what each does.

#include <cstdint>

#include <spoc/backend.h>
#include <spoc/native.h>

namespace spoc::mock {

std::int32_t probe(const spoc_be_host* host, std::uint32_t level, spoc_be_probe_report* report,
                   spoc_be_error* error);
std::int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error);
std::int32_t close(spoc_be_error* error);
void quiesce(std::uint32_t reason);
std::int32_t get_interface(const char* name, std::uint32_t min_size, const void** out,
                           spoc_be_error* error);

std::int32_t device_count(std::uint32_t* count, spoc_be_error* error);
std::int32_t device_info(std::uint32_t index, spoc_be_device_info* info, spoc_be_error* error);
std::int32_t cap_reason(std::uint32_t index, std::uint32_t cap, spoc_be_error* error);
std::int32_t device_open(std::uint32_t index, const spoc_be_device_desc* desc,
                         spoc_be_device_result* result, spoc_be_error* error);
std::int32_t device_close(spoc_be_device device, spoc_be_error* error);
std::int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error);

std::int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                           spoc_be_buffer_result* result, spoc_be_error* error);
std::int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error);
std::int32_t buffer_wait(spoc_be_buffer buffer, std::uint32_t access, std::uint64_t timeout_ns,
                         spoc_be_error* error);
std::int32_t buffer_host_access(spoc_be_stream stream, spoc_be_buffer buffer, std::uint32_t op,
                                std::uint64_t offset, std::uint64_t bytes, spoc_be_error* error);

std::int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                          spoc_be_hostmem_result* result, spoc_be_error* error);
std::int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error);
std::int32_t host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                           spoc_be_hostmem_result* result, spoc_be_error* error);
std::int32_t host_unregister(spoc_be_hostmem hostmem, spoc_be_error* error);
std::int32_t host_query(spoc_be_device device, const void* host, std::uint64_t bytes,
                        std::uint32_t* flags, spoc_be_error* error);

std::int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc,
                           spoc_be_stream* out, spoc_be_error* error);
std::int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error);
std::int32_t stream_flush(spoc_be_stream stream, spoc_be_error* error);
std::int32_t stream_query(spoc_be_stream stream, spoc_be_error* error);
std::int32_t stream_sync(spoc_be_stream stream, std::uint64_t timeout_ns, spoc_be_error* error);
std::int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error);

std::int32_t event_create(spoc_be_device device, std::uint32_t flags, spoc_be_event* out,
                          spoc_be_error* error);
std::int32_t event_destroy(spoc_be_event event, spoc_be_error* error);
std::int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error);
std::int32_t event_query(spoc_be_event event, spoc_be_error* error);
std::int32_t event_sync(spoc_be_event event, std::uint64_t timeout_ns, spoc_be_error* error);
std::int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns,
                           spoc_be_error* error);

std::int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, std::uint32_t* done,
                  spoc_be_error* error);
std::int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, std::uint32_t* done,
                  spoc_be_error* error);
std::int32_t peer_query(spoc_be_device src, spoc_be_device dst, std::uint32_t* flags,
                        spoc_be_error* error);

std::int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc,
                          spoc_be_program* out, spoc_be_error* error);
std::int32_t program_destroy(spoc_be_program program, spoc_be_error* error);
std::int32_t program_binary(spoc_be_program program, void* data, std::uint64_t capacity,
                            std::uint64_t* bytes, spoc_be_error* error);
std::int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc,
                        spoc_be_kernel* out, spoc_be_error* error);
std::int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error);
std::int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, std::uint32_t capacity,
                           std::uint32_t* count, spoc_be_error* error);
std::int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* error);
std::int32_t launch(spoc_be_stream stream, const spoc_be_launch* launch, std::uint32_t* done,
                    spoc_be_error* error);

/// `add` of the interface "native.kernels".
std::int32_t add_native_kernel(const char* name, const spoc_native_kernel* kernel,
                               spoc_be_error* error);

}  // namespace spoc::mock
