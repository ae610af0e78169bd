/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_UNIFIED_H
#define SPOC_UNIFIED_H

/// \file
/// Vectors in memory that the host and a device both address: one copy, and nothing is ever moved
/// between the two. Where a device has no such memory they are refused; nobody gets an ordinary
/// vector instead.
///
/// The buffer on the device has link `SPOC_LINK_UNIFIED`, and the vector stays BOTH there whatever
/// happens to it. Used on another device it is copied as any vector is. Host access waits for the
/// enqueued work that uses the vector; on devices that forbid the host to touch such memory while
/// kernels run, for all work of the device. `spoc_vector_free_buffer` copies the elements to
/// ordinary host memory first, so that the vector lives on; it is `SPOC_INVALID_ARGUMENT` (`BUSY`)
/// while there are views.
///
/// Implicit paths, threads and common errors: spoc/vector.h.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/vector.h>

SPOC_BEGIN_DECLS

/// `spoc_vector_create_unified` flags: memory may be asked for that the device does not have free.
/// Without it that is refused, since drivers that move pages to and fro may hang on it.
#define SPOC_UNIFIED_OVERSUBSCRIBE UINT32_C(1)

/// Whether the device has memory that it and the host both address: 1 or 0 to `*out_available`.
/// Asks no driver. Any thread.
SPOC_API spoc_status spoc_unified_available(spoc_device device, int32_t* out_available,
                                            spoc_error* error) SPOC_NOEXCEPT;

/// Makes a vector in such memory, contents undefined; state BOTH. The caller ends the handle with
/// `spoc_vector_destroy`. Errors besides: `SPOC_INVALID_ARGUMENT` (`KIND`; `LENGTH`: as
/// `spoc_vector_create`, or no elements; `VALUE`: an unknown flag); `SPOC_FEATURE_NOT_SUPPORTED`;
/// `SPOC_BACKEND_ERROR` (`OOM`: also when more is asked for than is free; `TOO_LARGE`).
SPOC_API spoc_status spoc_vector_create_unified(spoc_device device, uint32_t kind,
                                                uint64_t element_bytes, uint64_t count,
                                                uint32_t flags, spoc_vector* out_vector,
                                                spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_UNIFIED_H */
