/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_VECTOR_H
#define SPOC_VECTOR_H

/// \file
/// Vectors: elements that the host and devices each may hold a copy of, with a record of which copy
/// is up to date, so that nobody is shown old bytes and nothing is moved that need not be.
///
/// **Location.** Seen from outside a vector is in one of five states, of which all but the first
/// name a device d:
///
/// | state | host's copy | d's copy |
/// |---|---|---|
/// | `HOST` | up to date | none |
/// | `DEVICE` | none or old | up to date |
/// | `BOTH` | up to date | up to date |
/// | `STALE_HOST` | old | up to date, newer |
/// | `STALE_DEVICE` | up to date, newer | old, or not allocated yet |
///
/// docs/vectors.md has the table of transitions.
///
/// **Implicit paths.** Functions that take no stream run on the default stream, wait first for
/// every other stream whose enqueued work uses the vector, and are complete when they return.
///
/// **Auto-sync.** Where the host's copy is old, a function that needs it brings it up to date
/// first, when both the vector's switch and the process's are on (they are by default). Otherwise
/// it is `SPOC_INVALID_ARGUMENT` (`STALE_HOST`).
///
/// **Threads.** One thread at a time for one vector; different vectors at once. A vector and its
/// views are one vector in this, except that views which share no element may be used at once while
/// no vector that they are views of is used, or newer on a device.
///
/// Errors of all functions: `SPOC_INVALID_ARGUMENT` (`NULL`); where a device is asked,
/// `SPOC_BACKEND_ERROR` and `SPOC_UNAVAILABLE`. A function that fails leaves locations, buffers and
/// accounts as they were, except where it says otherwise.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/owner.h>
#include <spoc/stream.h>

SPOC_BEGIN_DECLS

typedef struct spoc_vector_s* spoc_vector;

/// Element kinds.
#define SPOC_KIND_FLOAT16 UINT32_C(1)    ///< 2 bytes
#define SPOC_KIND_FLOAT32 UINT32_C(2)    ///< 4 bytes
#define SPOC_KIND_FLOAT64 UINT32_C(3)    ///< 8 bytes
#define SPOC_KIND_INT32 UINT32_C(4)      ///< 4 bytes, either sign
#define SPOC_KIND_INT64 UINT32_C(5)      ///< 8 bytes, either sign
#define SPOC_KIND_UINT8 UINT32_C(6)      ///< 1 byte
#define SPOC_KIND_COMPLEX32 UINT32_C(7)  ///< two 4-byte floats
#define SPOC_KIND_RECORD UINT32_C(8)     ///< any other trivially copyable type

/// States of `spoc_vector_info.location`.
#define SPOC_LOCATION_HOST UINT32_C(0)
#define SPOC_LOCATION_DEVICE UINT32_C(1)
#define SPOC_LOCATION_BOTH UINT32_C(2)
#define SPOC_LOCATION_STALE_HOST UINT32_C(3)
#define SPOC_LOCATION_STALE_DEVICE UINT32_C(4)

/// How a vector's buffer on a device relates to its host storage.
#define SPOC_LINK_NONE UINT32_C(0)          ///< no buffer there
#define SPOC_LINK_SEPARATE UINT32_C(1)      ///< memory of its own
#define SPOC_LINK_HOST_STORAGE UINT32_C(2)  ///< is the host storage: devices in host memory
#define SPOC_LINK_HOST_POINTER UINT32_C(3)  ///< made over the host storage (spoc/host_pointer.h)
#define SPOC_LINK_UNIFIED UINT32_C(4)       ///< both sides address it (spoc/unified.h)

/// Most elements of a device-only vector.
#define SPOC_MOST_DEVICE_ELEMENTS UINT64_C(2147483647)

/// What a vector is at this moment.
typedef struct spoc_vector_info {
    uint32_t size;   ///< `sizeof(spoc_vector_info)`, set by the caller
    uint32_t kind;   ///< `SPOC_KIND_*`
    uint64_t id;     ///< unique in the process, never used again
    uint64_t count;  ///< elements
    uint64_t element_bytes;
    uint32_t location;     ///< `SPOC_LOCATION_*`
    uint32_t device_only;  ///< 1: no host storage
    spoc_device device;    ///< the one that the location names, null for HOST
    uint32_t auto_sync;    ///< the vector's own switch
    uint32_t freed;        ///< 1: a device-only vector whose memory was freed
    uint32_t depth;        ///< 0: made as no view; 1: as a view of such a one, and so on
    uint32_t reserved;     ///< 0
} spoc_vector_info;

/// Makes a vector with host storage of its own, contents undefined. `hint` may be null: a device
/// that it will be used on, so that the first state is STALE_DEVICE instead of HOST; no device
/// memory is taken yet. `element_bytes` is checked against the kind. The caller ends the handle
/// with `spoc_vector_destroy`. Errors besides: `SPOC_INVALID_ARGUMENT` (`KIND`; `LENGTH`: the size
/// overflows, or `element_bytes` is 0 or not the kind's); `SPOC_BACKEND_ERROR` (`HOST_MEMORY`).
SPOC_API spoc_status spoc_vector_create(uint32_t kind, uint64_t element_bytes, uint64_t count,
                                        spoc_device hint, spoc_vector* out_vector,
                                        spoc_error* error) SPOC_NOEXCEPT;

/// Makes a vector over memory of the caller's, shared and not copied; state HOST. The memory stays
/// in place until the vector and the work that uses it have ended; `owner` (may be null) keeps it.
/// Errors: likewise.
SPOC_API spoc_status spoc_vector_create_over(uint32_t kind, uint64_t element_bytes, uint64_t count,
                                             void* host, const spoc_owner* owner,
                                             spoc_vector* out_vector,
                                             spoc_error* error) SPOC_NOEXCEPT;

/// Makes a vector that lives on `device` alone: its memory is taken now, and it has no host
/// storage; data moves by ranged copies, staging and kernels. On a device whose memory is the
/// host's it gets ordinary host storage that is the device's too, and state BOTH. Errors besides:
/// `SPOC_INVALID_ARGUMENT` (`LENGTH`: outside 1 to `SPOC_MOST_DEVICE_ELEMENTS`; `KIND`: a record);
/// `SPOC_BACKEND_ERROR` (`OOM`, `TOO_LARGE`).
SPOC_API spoc_status spoc_vector_create_device_only(spoc_device device, uint32_t kind,
                                                    uint64_t element_bytes, uint64_t count,
                                                    spoc_vector* out_vector,
                                                    spoc_error* error) SPOC_NOEXCEPT;

/// Gives the handle back; null is nothing. Never fails and brings nothing back to the host: memory
/// that enqueued work uses is freed when that work is proved complete. Blocks in one case: enqueued
/// work uses a buffer made over host memory (spoc/host_pointer.h) that is the caller's, without an
/// owner.
SPOC_API void spoc_vector_destroy(spoc_vector vector) SPOC_NOEXCEPT;

SPOC_API spoc_status spoc_vector_describe(spoc_vector vector, spoc_vector_info* out_info,
                                          spoc_error* error) SPOC_NOEXCEPT;

/// Link of the vector's buffer on `device` (`SPOC_LINK_*`) to `*out_link`.
SPOC_API spoc_status spoc_vector_link(spoc_vector vector, spoc_device device, uint32_t* out_link,
                                      spoc_error* error) SPOC_NOEXCEPT;

/// Sets the vector's own auto-sync switch (1 on, 0 off).
SPOC_API spoc_status spoc_vector_set_auto_sync(spoc_vector vector, int32_t on,
                                               spoc_error* error) SPOC_NOEXCEPT;

/// Sets the process's auto-sync switch. Any thread.
SPOC_API void spoc_set_auto_sync(int32_t on) SPOC_NOEXCEPT;

/* ---- Views ---- */

/// Makes a vector of elements `first` to `first + count` of `vector`, which may be a view itself.
/// Both share the host's memory, which lives as long as one of them; buffers and location are the
/// view's own. `vector` is brought up to date on the host first, as by `spoc_vector_read`. `hint`
/// as in `spoc_vector_create`. The caller ends the handle with `spoc_vector_destroy`, before or
/// after that of `vector`.
///
/// From then on these hold: what is written on the host through a view makes the device's copy of
/// every vector that it is a view of old, and the host's copy of a view is old while one of those
/// has a newer copy on a device. While a view's copy on a device is up to date, host access and
/// transfers of vectors that share elements with it are `SPOC_INVALID_ARGUMENT` (`STALE_HOST`), and
/// while a view is being written on the host they are `BUSY`: `spoc_vector_gather` is the remedy of
/// the first.
///
/// Errors besides: `SPOC_INVALID_ARGUMENT` (`BOUNDS`, `DEVICE_ONLY`, `STALE_HOST`, `BUSY`).
SPOC_API spoc_status spoc_vector_view(spoc_vector vector, uint64_t first, uint64_t count,
                                      spoc_device hint, spoc_vector* out_view,
                                      spoc_error* error) SPOC_NOEXCEPT;

/// Brings to the host what the views of `vector`, and theirs, have newer on devices, and declares
/// the host's copy the newest: each of them that was up to date on a device is STALE_DEVICE then.
/// Buffers stay. Implicit paths. When it fails for one, those before it have been read back, and
/// calling it again goes on. Errors besides: `SPOC_INVALID_ARGUMENT` (`BUSY`: one is being
/// written).
SPOC_API spoc_status spoc_vector_gather(spoc_vector vector, spoc_error* error) SPOC_NOEXCEPT;

/* ---- The host's copy ---- */

/// The host's copy, up to date, to `*out_data`, to be read until the vector's next use by anything
/// that writes it. Errors besides: `SPOC_INVALID_ARGUMENT` (`STALE_HOST`, `DEVICE_ONLY`, `BUSY`:
/// it is being written).
SPOC_API spoc_status spoc_vector_read(spoc_vector vector, const void** out_data,
                                      spoc_error* error) SPOC_NOEXCEPT;

/// `spoc_vector_begin_write` flags: every element will be written, so that an old copy need not be
/// brought up to date first.
#define SPOC_WRITE_ALL UINT32_C(1)

/// The host's copy, up to date, to `*out_data`, to be read and written until `end_write`; until
/// then transfers and launches of the vector are `SPOC_INVALID_ARGUMENT` (`BUSY`). Errors besides:
/// as `spoc_vector_read`; `VALUE`: an unknown flag.
SPOC_API spoc_status spoc_vector_begin_write(spoc_vector vector, uint32_t flags, void** out_data,
                                             spoc_error* error) SPOC_NOEXCEPT;

/// Ends what `begin_write` began: the host's copy is now the newest. Errors besides:
/// `SPOC_INVALID_ARGUMENT` (`VALUE`: nothing was begun). Where it fails otherwise the writing goes
/// on, and may be ended again.
SPOC_API spoc_status spoc_vector_end_write(spoc_vector vector, spoc_error* error) SPOC_NOEXCEPT;

/// The host's storage as it is, whatever the state; for those who know what they do. Errors
/// besides: `SPOC_INVALID_ARGUMENT` (`DEVICE_ONLY`).
SPOC_API spoc_status spoc_vector_host_unsynced(spoc_vector vector, void** out_data,
                                               spoc_error* error) SPOC_NOEXCEPT;

/// Copies `count` elements of the host's copy of `source`, from `source_first` on, into that of
/// `destination`, from `destination_first` on. The ranges may overlap. Both copies are brought up
/// to date first, the destination's only where elements of it stay; it is the newest then. Where it
/// fails, one of them may be up to date already. With no elements nothing happens. Errors besides:
/// `SPOC_INVALID_ARGUMENT` (`BOUNDS`; `KIND`: the elements differ; otherwise as
/// `spoc_vector_begin_write`).
SPOC_API spoc_status spoc_vector_blit(spoc_vector source, uint64_t source_first,
                                      spoc_vector destination, uint64_t destination_first,
                                      uint64_t count, spoc_error* error) SPOC_NOEXCEPT;

/// Makes a vector with host storage of its own that holds what `source` holds, state HOST. The
/// caller ends the handle with `spoc_vector_destroy`. Errors besides: as `spoc_vector_read`.
SPOC_API spoc_status spoc_vector_copy(spoc_vector source, spoc_vector* out_vector,
                                      spoc_error* error) SPOC_NOEXCEPT;

/* ---- Whole vectors ---- */

/// Makes the copy on `device` up to date, allocating it when needed; nothing moves when it is.
/// Errors besides: `SPOC_INVALID_ARGUMENT` (`DEVICE_ONLY`: on another device; `FREED`; `BUSY`).
SPOC_API spoc_status spoc_vector_to_device(spoc_vector vector, spoc_device device,
                                           spoc_error* error) SPOC_NOEXCEPT;

/// Makes the host's copy up to date. With `force` (1) it is read back also when it already is, for
/// when something outside SPOC wrote the device's. Errors besides: `SPOC_INVALID_ARGUMENT`
/// (`DEVICE_ONLY`, `BUSY`).
SPOC_API spoc_status spoc_vector_to_host(spoc_vector vector, int32_t force,
                                         spoc_error* error) SPOC_NOEXCEPT;

/// Makes both copies up to date: the older one follows the newer.
SPOC_API spoc_status spoc_vector_sync(spoc_vector vector, spoc_error* error) SPOC_NOEXCEPT;

/// Frees the buffer on `device`. If that copy is newer than the host's, it is read back first, and
/// a location that named the device becomes HOST. Where there is nothing, nothing happens. A
/// device-only vector loses its contents and is freed: any later use is `FREED`, freeing again
/// nothing. Errors besides: `SPOC_INVALID_ARGUMENT` (`BUSY`: enqueued work that is not proved
/// complete uses the vector, and nothing happens).
SPOC_API spoc_status spoc_vector_free_buffer(spoc_vector vector, spoc_device device,
                                             spoc_error* error) SPOC_NOEXCEPT;

/// The same for all devices. When the driver fails for one, the others are still freed and the
/// first error is returned.
SPOC_API spoc_status spoc_vector_free_all_buffers(spoc_vector vector,
                                                  spoc_error* error) SPOC_NOEXCEPT;

/* ---- Ranges ---- */

/// Copies `bytes` bytes of host memory into the vector's copy on the device that its location
/// names, from byte `offset` on; that copy has to be up to date (`SPOC_INVALID_ARGUMENT`,
/// `LOCATION`): `spoc_vector_to_device` is the remedy. BOTH becomes STALE_HOST. `stream` null: an
/// implicit path. With a stream: as spoc/copy.h's functions on a stream, `owner` included. Errors
/// besides: `SPOC_INVALID_ARGUMENT` (`BOUNDS`, `LOCATION`, `FREED`, `DESTROYED`, `DEVICE`, `BUSY`).
SPOC_API spoc_status spoc_vector_write_range(spoc_vector vector, uint64_t offset,
                                             const void* source, uint64_t bytes, spoc_stream stream,
                                             const spoc_owner* owner,
                                             spoc_error* error) SPOC_NOEXCEPT;

/// Most bytes that one call stages.
#define SPOC_MOST_STAGED_BYTES UINT64_C(65536)

/// Writes a few bytes into the vector's copy on that device without waiting for the device: they
/// are taken during the call, without waiting for enqueued work that writes `source`, which is the
/// caller's again when it returns. The write runs on `stream`, after what is there and before what
/// follows; null: on the default stream, after enqueued work of other streams that uses the vector
/// was waited for. BOTH becomes STALE_HOST.
///
/// Where the device takes such writes by itself they go straight to the driver, else through 1 MiB
/// of page-locked memory, which the library allocates for the device at first use and keeps. Only
/// when all of that is in use by earlier writes the call blocks, until the oldest of them is
/// complete. A device that works in the host's memory or enqueues no copies has written when the
/// call returns. Freeing the vector's memory is `BUSY` until the write is proved complete
/// (spoc/stream.h) or its page-locked memory was used again.
///
/// Errors besides those of `spoc_vector_write_range`: `SPOC_INVALID_ARGUMENT` (`TOO_MUCH`: more
/// than `SPOC_MOST_STAGED_BYTES`); `SPOC_FEATURE_NOT_SUPPORTED`: the device has no page-locked
/// memory; `SPOC_BACKEND_ERROR` (`OOM`: none was left; synchronous writes may still work).
SPOC_API spoc_status spoc_vector_stage(spoc_vector vector, uint64_t offset, const void* source,
                                       uint64_t bytes, spoc_stream stream,
                                       spoc_error* error) SPOC_NOEXCEPT;

/// Copies `bytes` bytes of the vector's copy on that device, from byte `offset` on, into host
/// memory. The location stays. Errors: likewise.
SPOC_API spoc_status spoc_vector_read_range(spoc_vector vector, uint64_t offset, void* destination,
                                            uint64_t bytes, spoc_stream stream,
                                            const spoc_owner* owner,
                                            spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_VECTOR_H */
