/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_COPY_H
#define SPOC_COPY_H

/// \file
/// Copies of byte ranges between host memory and buffers, and between buffers.
///
/// Every function here is complete when it returns, on the device too, and ordered after everything
/// that was enqueued on the device's default stream before. Offsets and lengths are in bytes and
/// right to the byte on every backend. A copy of 0 bytes is checked like any other and then does
/// nothing. Host memory is not touched after the return.
///
/// Different threads may copy at once, also on one device. Two copies at once that touch the same
/// bytes, one of them writing, are the caller's race.
///
/// Host memory that a device cannot read or write by itself is staged through page-locked memory of
/// the library's own (`spoc_be_device_info.pageable_max` says above which size). Staging reads the
/// source in the call: it first waits for enqueued work that writes the source and may be in front
/// of the copy, on any stream of the device and where an event orders the stream after another one.
///
/// Errors of all: `SPOC_INVALID_ARGUMENT` (`NULL`: a handle or pointer; `BOUNDS`: offset and length
/// reach beyond a buffer, also when their sum overflows); `SPOC_FEATURE_NOT_SUPPORTED`;
/// `SPOC_BACKEND_ERROR` (`COPY_FAILED`, `DEVICE_LOST`, `OOM` for staging memory);
/// `SPOC_UNAVAILABLE`. After a `SPOC_BACKEND_ERROR` the destination range is undefined and nothing
/// outside it was written.

#include <stdint.h>

#include <spoc/buffer.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/owner.h>
#include <spoc/stream.h>

SPOC_BEGIN_DECLS

/// Copies `bytes` bytes from host memory `source` into `destination`, from byte
/// `destination_offset` on.
SPOC_API spoc_status spoc_copy_to_device(const void* source, uint64_t bytes,
                                         spoc_buffer destination, uint64_t destination_offset,
                                         spoc_error* error) SPOC_NOEXCEPT;

/// Copies `bytes` bytes of `source`, from byte `source_offset` on, into host memory `destination`.
SPOC_API spoc_status spoc_copy_to_host(spoc_buffer source, uint64_t source_offset,
                                       void* destination, uint64_t bytes,
                                       spoc_error* error) SPOC_NOEXCEPT;

/// Copies `bytes` bytes between two buffers of one device, or of two devices of one backend where
/// the driver copies between them (else `SPOC_FEATURE_NOT_SUPPORTED`; nothing goes through host
/// memory behind the caller's back). Errors besides: `SPOC_INVALID_ARGUMENT` (`DEVICE`: devices of
/// two backends; `OVERLAP`: ranges of one buffer overlap).
SPOC_API spoc_status spoc_copy_on_device(spoc_buffer source, uint64_t source_offset,
                                         spoc_buffer destination, uint64_t destination_offset,
                                         uint64_t bytes, spoc_error* error) SPOC_NOEXCEPT;

/// Fills `bytes` bytes of `buffer`, from byte `offset` on, with the low `pattern_size` (1, 2 or 4)
/// bytes of `pattern`, in little-endian order. Errors besides: `SPOC_INVALID_ARGUMENT` (`VALUE`:
/// pattern size; `LENGTH`: `offset` or `bytes` is no multiple of it).
SPOC_API spoc_status spoc_fill(spoc_buffer buffer, uint64_t offset, uint64_t bytes,
                               uint32_t pattern, uint32_t pattern_size,
                               spoc_error* error) SPOC_NOEXCEPT;

/* ---- On a stream ---- */

/// The functions below enqueue what those above do, in the order of `stream`, and may return before
/// it runs. They do not wait for anything else that uses the same memory: whoever names a stream
/// orders it, with events. The stream is on the device of the destination (of the source for copies
/// to host memory), else `SPOC_INVALID_ARGUMENT` (`DEVICE`).
///
/// Until completion is proved (spoc/stream.h) host memory that is read must not change, and host
/// memory that is written must not be looked at. `owner` keeps it alive meanwhile; without one
/// (null) that is the caller's matter. Page-locked ranges that it lies in cannot be released, and
/// buffers can be destroyed but not freed. A device that does not read ordinary memory by itself
/// gets it through page-locked slots: the call then may block, for a slot and for work that writes
/// the source (see the top of this file), and a copy into ordinary memory does.
///
/// Errors besides those above: `SPOC_INVALID_ARGUMENT` (`DESTROYED`: the stream was closed;
/// `FREED`: the buffer was). Unless the device is lost, nothing is in flight after a failure.
SPOC_API spoc_status spoc_enqueue_copy_to_device(spoc_stream stream, const void* source,
                                                 uint64_t bytes, spoc_buffer destination,
                                                 uint64_t destination_offset,
                                                 const spoc_owner* owner,
                                                 spoc_error* error) SPOC_NOEXCEPT;

/// Writes at most `SPOC_MOST_STAGED_BYTES` bytes (spoc/vector.h) without waiting for the device:
/// `source` is the caller's again when it returns. It has to hold its bytes by then: enqueued work
/// that writes it is not waited for. Ways, waits and further errors as `spoc_vector_stage`.
SPOC_API spoc_status spoc_enqueue_staged(spoc_stream stream, const void* source, uint64_t bytes,
                                         spoc_buffer destination, uint64_t destination_offset,
                                         spoc_error* error) SPOC_NOEXCEPT;

/// See above.
SPOC_API spoc_status spoc_enqueue_copy_to_host(spoc_stream stream, spoc_buffer source,
                                               uint64_t source_offset, void* destination,
                                               uint64_t bytes, const spoc_owner* owner,
                                               spoc_error* error) SPOC_NOEXCEPT;

/// See above. From a buffer of another device of the backend, the copy does not wait for work that
/// is pending there: order it with an event.
SPOC_API spoc_status spoc_enqueue_copy_on_device(spoc_stream stream, spoc_buffer source,
                                                 uint64_t source_offset, spoc_buffer destination,
                                                 uint64_t destination_offset, uint64_t bytes,
                                                 spoc_error* error) SPOC_NOEXCEPT;

/// See above.
SPOC_API spoc_status spoc_enqueue_fill(spoc_stream stream, spoc_buffer buffer, uint64_t offset,
                                       uint64_t bytes, uint32_t pattern, uint32_t pattern_size,
                                       spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_COPY_H */
