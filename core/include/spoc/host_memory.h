/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_HOST_MEMORY_H
#define SPOC_HOST_MEMORY_H

/// \file
/// Page-locked host memory: allocated by a device's driver, or the program's own memory registered
/// with it. Copies from and to it need no staging and, on a stream, do not hold up the host.
///
/// SPOC keeps one table of all live ranges in the process. A copy finds by itself which parts of
/// its host range lie in it; one that reaches across the border of two ranges, or across a part
/// that is not page-locked, is split there. Ranges never overlap, compared after rounding outward
/// to the host's page size, whichever device they belong to.
///
/// **Ends.** `release` frees or unregisters and refuses while work that was enqueued may touch the
/// range; `destroy` gives the handle back, never blocks and never fails: a range in use is released
/// when its work is proved complete (spoc/stream.h).
///
/// **Vectors over it.** Allocated memory is not released while a vector has its host storage there
/// (`spoc_vector_create_over`, `spoc_vector_create_host_pointer`), nor while a view of one or work
/// on one does. Before `destroy` it is the program that ends them, or it passes the handle with the
/// vector as its owner. A registration may end under a vector: the memory is the program's own.
///
/// Any thread. Errors of all functions: `SPOC_INVALID_ARGUMENT` (`NULL`); `SPOC_UNAVAILABLE`.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/owner.h>

SPOC_BEGIN_DECLS

typedef struct spoc_host_memory_s* spoc_host_memory;

/// What a range is.
typedef struct spoc_host_memory_info {
    uint32_t size;        ///< `sizeof(spoc_host_memory_info)`, set by the caller
    uint32_t registered;  ///< 1: the program's own memory; 0: allocated
    spoc_device device;
    void* start;
    uint64_t bytes;  ///< as asked
} spoc_host_memory_info;

/// Allocates `bytes` bytes of page-locked memory for copies from and to `device`, aligned to pages;
/// contents undefined. It can be filled by `read` and `O_DIRECT`. Blocks; several GiB can take
/// seconds. Errors besides: `SPOC_INVALID_ARGUMENT` (`LENGTH`: 0 bytes);
/// `SPOC_FEATURE_NOT_SUPPORTED`; `SPOC_BACKEND_ERROR` (`OOM`, `TOO_LARGE`).
SPOC_API spoc_status spoc_host_memory_allocate(spoc_device device, uint64_t bytes,
                                               spoc_host_memory* out_memory,
                                               spoc_error* error) SPOC_NOEXCEPT;

/// `spoc_host_memory_register` flags: the mapping may only be read; copies to it are refused.
#define SPOC_HOST_MEMORY_READ_ONLY UINT32_C(1)

/// Registers `bytes` bytes from `start` on, which stay mapped and in place until the registration
/// is released. `owner` may be null; else its memory is kept until then. Blocks; every page may be
/// brought in. That the driver accepts a range does not prove that copies from it are fast. On
/// devices whose memory is the host's the range is recorded and no driver is called. Errors
/// besides: `SPOC_INVALID_ARGUMENT` (`LENGTH`: 0 bytes, or the end overflows; `BOUNDS`: the device
/// wants another alignment, `spoc_be_device_info.register_align`; `OVERLAP`: with a live range, see
/// above; `VALUE`: an unknown flag); `SPOC_FEATURE_NOT_SUPPORTED`;
/// `SPOC_BACKEND_ERROR` (`OOM`, `DRIVER`).
SPOC_API spoc_status spoc_host_memory_register(spoc_device device, void* start, uint64_t bytes,
                                               uint32_t flags, const spoc_owner* owner,
                                               spoc_host_memory* out_memory,
                                               spoc_error* error) SPOC_NOEXCEPT;

/// Frees or unregisters the range; releasing again does nothing. Errors besides:
/// `SPOC_INVALID_ARGUMENT` (`BUSY`: enqueued work that is not proved complete may touch it, or a
/// vector lies over memory that was allocated); `SPOC_BACKEND_ERROR` (`UNREGISTER_FAILED`): the
/// registration then stays in the table with its owner, since the driver may still hold it, and may
/// be released again. Allocated memory is gone whatever the driver says.
SPOC_API spoc_status spoc_host_memory_release(spoc_host_memory memory,
                                              spoc_error* error) SPOC_NOEXCEPT;

/// Gives the handle back; null is nothing. See the top of this file.
SPOC_API void spoc_host_memory_destroy(spoc_host_memory memory) SPOC_NOEXCEPT;

/// What the range is. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`; `VALUE`: the size is not set;
/// `FREED`: it was released, or the runtime was shut down).
SPOC_API spoc_status spoc_host_memory_describe(spoc_host_memory memory,
                                               spoc_host_memory_info* out_info,
                                               spoc_error* error) SPOC_NOEXCEPT;

/// Whether `start` and `bytes` are exactly a live range: 1 or 0. A part of one is not. Needs no
/// runtime.
SPOC_API int32_t spoc_host_memory_is_live(const void* start, uint64_t bytes) SPOC_NOEXCEPT;

/// Whether `device` allocates page-locked memory: 1 or 0 to `*out_available`, found out with one
/// byte. Errors besides: `SPOC_BACKEND_ERROR` when the attempt fails for another reason than that
/// the device does not offer it.
SPOC_API spoc_status spoc_host_memory_available(spoc_device device, int32_t* out_available,
                                                spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_HOST_MEMORY_H */
