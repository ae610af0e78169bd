/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_STREAM_H
#define SPOC_STREAM_H

/// \file
/// Streams: in-order queues of work on a device.
///
/// **Order.** What is enqueued on one stream runs in the order of the calls. Streams are not
/// ordered among each other, except by events (spoc/event.h) and, where the device says
/// `stream_blocking`, with the default stream unless they were made `NON_BLOCKING`.
///
/// **Completion is proved**, and only then is what the work used released (memory lent to it,
/// buffers destroyed meanwhile, page-locked ranges), by: `spoc_stream_synchronize`,
/// `spoc_stream_query` that answers "idle", `spoc_event_synchronize` or `spoc_event_query` for what
/// the event's recording covers, and `spoc_device_synchronize`. Destroying an event proves nothing.
///
/// **Threads.** Different streams may be used by different threads at once. Calls on one stream are
/// serialised by the library; their order is the order in which they got in, so a program that
/// cares gives a stream to one thread.
///
/// **Ends.** `close` ends the stream and may block and fail; `destroy` gives the handle back,
/// never blocks and never fails: work that is still pending goes on, and what it uses is kept until
/// `spoc_device_synchronize`, or until the next stream of the device is made, closed or destroyed,
/// finds it complete. What is never proved complete (the device is lost) is kept for good.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>

SPOC_BEGIN_DECLS

typedef struct spoc_stream_s* spoc_stream;

/// `spoc_stream_options.flags`: never ordered against the default stream. Accepted and without
/// effect where streams are independent anyway.
#define SPOC_STREAM_NON_BLOCKING UINT32_C(1)
/// `spoc_stream_options.flags`: events for elapsed time will not be recorded on it; cheaper on some
/// drivers.
#define SPOC_STREAM_UNTIMED UINT32_C(2)

/// How to make a stream.
typedef struct spoc_stream_options {
    uint32_t size;      ///< `sizeof(spoc_stream_options)`, set by the caller
    uint32_t flags;     ///< `SPOC_STREAM_*`
    int32_t priority;   ///< 0 ordinary; lower is more urgent; clamped to what the driver has
    uint32_t reserved;  ///< 0
} spoc_stream_options;

/// Makes a stream on `device`, opening it first when needed. `options` may be null: ordinary. The
/// caller ends the handle with `spoc_stream_destroy`. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`;
/// `VALUE`: an unknown flag, or the size is not set); `SPOC_BACKEND_ERROR`; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_stream_create(spoc_device device, const spoc_stream_options* options,
                                        spoc_stream* out_stream, spoc_error* error) SPOC_NOEXCEPT;

/// A handle on the device's default stream, on which everything runs that is given no stream. All
/// such handles are one stream. The caller ends the handle with `spoc_stream_destroy`; the stream
/// lives as long as the device. Errors: as `spoc_stream_create`.
SPOC_API spoc_status spoc_stream_default(spoc_device device, spoc_stream* out_stream,
                                         spoc_error* error) SPOC_NOEXCEPT;

/// Device of a stream to `*out_device`. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`).
SPOC_API spoc_status spoc_stream_device(spoc_stream stream, spoc_device* out_device,
                                        spoc_error* error) SPOC_NOEXCEPT;

/// Waits until everything enqueued so far is complete, then releases what it used. What another
/// thread enqueues during the wait is not waited for. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`,
/// `DESTROYED`); `SPOC_BACKEND_ERROR` (`SYNC_FAILED`, `LAUNCH_FAILED`, `DEVICE_LOST`), and nothing
/// is released then; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_stream_synchronize(spoc_stream stream, spoc_error* error) SPOC_NOEXCEPT;

/// Whether the stream is idle: 1 or 0 to `*out_idle`. Does not block. When it is, what the work
/// used is released as by `spoc_stream_synchronize`. Errors: likewise.
SPOC_API spoc_status spoc_stream_query(spoc_stream stream, int32_t* out_idle,
                                       spoc_error* error) SPOC_NOEXCEPT;

/// Starts work that the driver's plugin holds back to batch it. Does not wait. Errors: likewise.
SPOC_API spoc_status spoc_stream_flush(spoc_stream stream, spoc_error* error) SPOC_NOEXCEPT;

/// Waits for the stream's work, releases what it used and ends the stream; every later use of the
/// handle but `spoc_stream_destroy` is `SPOC_INVALID_ARGUMENT` (`DESTROYED`). Closing again does
/// nothing, nor does closing a default stream. Errors: as `spoc_stream_synchronize`, and the stream
/// is then still there; `SPOC_BACKEND_ERROR` (`DRIVER`) when the driver fails to end it, and it is
/// gone all the same.
SPOC_API spoc_status spoc_stream_close(spoc_stream stream, spoc_error* error) SPOC_NOEXCEPT;

/// Gives the handle back; null is nothing. Never blocks (see the top of this file). No call may use
/// the handle at the same time or later.
SPOC_API void spoc_stream_destroy(spoc_stream stream) SPOC_NOEXCEPT;

/// Waits for everything enqueued so far on every stream of the device and releases what it used.
/// Errors: `SPOC_INVALID_ARGUMENT` (`NULL`); `SPOC_BACKEND_ERROR` when one of them fails, and
/// nothing is released of any; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_device_synchronize(spoc_device device, spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_STREAM_H */
