/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_HOST_POINTER_H
#define SPOC_HOST_POINTER_H

/// \file
/// Buffers made over host memory, so that kernels of a device that runs on the host's processors
/// read and write that memory in place: for pools of several GiB, of which no second copy should
/// be. Only for those who ask: no other function makes such a buffer.
///
/// **What is accepted**, in this order; a refusal is `SPOC_HOST_POINTER_REFUSED`:
///
/// | condition | answer |
/// |---|---|
/// | a device in host memory (`SPOC_LINK_HOST_STORAGE`) | accepted: the buffer is the memory |
/// | one that makes none, though CPU devices of its kind of driver do | `NOT_CPU_DEVICE` |
/// | another one that makes none | `UNSUPPORTED` |
/// | the first byte is no multiple of `host_ptr_align` bytes | `MISALIGNED` |
/// | more bytes than the device's largest buffer | `HOST_TOO_LARGE` |
///
/// A larger region is exposed as several vectors over parts of it.
/// **Lifetime.** The memory stays mapped and in place until the vector and the work that uses it
/// have ended; `owner` keeps it. Without an owner `spoc_vector_destroy` waits for that work.
///
/// Implicit paths, threads and common errors: spoc/vector.h.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/owner.h>
#include <spoc/vector.h>

SPOC_BEGIN_DECLS

/// Makes a vector over memory of the caller's, with a buffer on `device` over the same memory;
/// state BOTH: what the memory holds now is what the first launch sees. Otherwise as
/// `spoc_vector_create_over`. Errors besides: `SPOC_INVALID_ARGUMENT` (`KIND`, `LENGTH`),
/// `SPOC_HOST_POINTER_REFUSED`.
SPOC_API spoc_status spoc_vector_create_host_pointer(spoc_device device, uint32_t kind,
                                                     uint64_t element_bytes, uint64_t count,
                                                     void* host, const spoc_owner* owner,
                                                     spoc_vector* out_vector,
                                                     spoc_error* error) SPOC_NOEXCEPT;

/// Gives a vector that has no buffer on `device` one over its host storage; state BOTH. An old
/// host's copy is brought up to date first. Errors besides: `SPOC_INVALID_ARGUMENT` (`DUPLICATE`:
/// it has one there; `DEVICE_ONLY`, `BUSY`), `SPOC_HOST_POINTER_REFUSED`.
SPOC_API spoc_status spoc_vector_attach_host_pointer(spoc_vector vector, spoc_device device,
                                                     spoc_error* error) SPOC_NOEXCEPT;

/// Waits for the enqueued work that uses the buffer on `device`, after which the memory holds what
/// kernels wrote: STALE_HOST becomes BOTH. Any host access through the vector does the same; this
/// is for those who read the memory by its address. Where the buffer is the host storage it only
/// waits. Errors besides: `SPOC_INVALID_ARGUMENT` (`LINK`: there is no such buffer on `device`;
/// `BUSY`).
SPOC_API spoc_status spoc_vector_acquire_device_writes(spoc_vector vector, spoc_device device,
                                                       spoc_error* error) SPOC_NOEXCEPT;

/// After the memory was written by its address, before the next launch: waits for the enqueued work
/// that uses the buffer, declares the host's copy the newest and shows it to the device; BOTH.
/// Where the buffer is the host storage no byte needs to be shown. Errors: likewise.
SPOC_API spoc_status spoc_vector_publish_host_writes(spoc_vector vector, spoc_device device,
                                                     spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_HOST_POINTER_H */
