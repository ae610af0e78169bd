/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_BUFFER_H
#define SPOC_BUFFER_H

/// \file
/// Raw device memory: so many bytes on one device, without element type or host copy.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>

SPOC_BEGIN_DECLS

typedef struct spoc_buffer_s* spoc_buffer;

/// What a buffer is.
typedef struct spoc_buffer_info {
    uint32_t size;            ///< `sizeof(spoc_buffer_info)`, set by the caller
    uint32_t reserved;        ///< 0
    spoc_device device;       ///< where it lies
    uint64_t bytes;           ///< as asked
    uint64_t allocated;       ///< bytes really taken from the device, all-ones unknown
    uint64_t device_address;  ///< address kernels see, 0 where the driver exposes none
} spoc_buffer_info;

/// Allocates `bytes` bytes on `device`, opening it first when needed. Contents are undefined. 0
/// bytes is a valid, empty buffer for which no driver is called. The caller owns the handle and
/// ends it with `spoc_buffer_destroy`. May block. When the device is out of memory it is asked once
/// more after what SPOC can release was released, and never if the error is another. Errors:
/// `SPOC_INVALID_ARGUMENT` (`NULL`); `SPOC_BACKEND_ERROR` (`TOO_LARGE`: above the device's largest
/// single allocation, with both figures; `OOM`; `DEVICE_LOST`; `CONTEXT`; `DRIVER`);
/// `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_buffer_create(spoc_device device, uint64_t bytes, spoc_buffer* out_buffer,
                                        spoc_error* error) SPOC_NOEXCEPT;

/// Frees the buffer's memory now; every later use of the handle but `spoc_buffer_destroy` and
/// `spoc_buffer_describe` is `SPOC_INVALID_ARGUMENT` (`FREED`). Freeing again does nothing. Errors:
/// `SPOC_INVALID_ARGUMENT` (`NULL`; `BUSY`: enqueued work that is not proved complete,
/// spoc/stream.h, uses it, and nothing happens); `SPOC_BACKEND_ERROR`, and the memory is gone all
/// the same; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_buffer_free(spoc_buffer buffer, spoc_error* error) SPOC_NOEXCEPT;

/// Gives the handle back and frees the memory; null is nothing. When enqueued work that is not
/// proved complete uses it, that work keeps the memory, and it is freed when it is proved. No call
/// may use the handle at the same time or later. After shutdown, in a forked child and at exit only
/// the handle is freed. Errors: `SPOC_BACKEND_ERROR`; the handle is gone all the same.
SPOC_API spoc_status spoc_buffer_destroy(spoc_buffer buffer, spoc_error* error) SPOC_NOEXCEPT;

/// What the buffer is. Works after shutdown too. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`, `VALUE`).
SPOC_API spoc_status spoc_buffer_describe(spoc_buffer buffer, spoc_buffer_info* out_info,
                                          spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_BUFFER_H */
