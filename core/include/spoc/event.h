/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_EVENT_H
#define SPOC_EVENT_H

/// \file
/// Events: marks in streams, for order between streams and for elapsed time.
///
/// An event refers to its latest recording. A wait that was enqueued refers to the recording that
/// was current at that call, whatever is recorded later. Different threads may use different events
/// at once; calls on one event are serialised by the library.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/stream.h>

SPOC_BEGIN_DECLS

typedef struct spoc_event_s* spoc_event;

/// `spoc_event_create` flags: `spoc_event_elapsed` will be asked. Dearer on most drivers.
#define SPOC_EVENT_TIMING UINT32_C(1)

/// Makes an event on `device`, opening it first when needed; nothing is recorded yet. The caller
/// ends it with `spoc_event_destroy`. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`; `VALUE`: an unknown
/// flag); `SPOC_FEATURE_NOT_SUPPORTED` (`TIMING` where the device cannot measure);
/// `SPOC_BACKEND_ERROR`; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_event_create(spoc_device device, uint32_t flags, spoc_event* out_event,
                                       spoc_error* error) SPOC_NOEXCEPT;

/// Gives the event back; null is nothing. Never blocks; waits that were enqueued on it go on.
/// Proves nothing complete. No call may use the handle at the same time or later.
SPOC_API void spoc_event_destroy(spoc_event event) SPOC_NOEXCEPT;

/// Marks this point of `stream`: the event is complete once everything enqueued on it so far is.
/// Replaces an earlier recording. Starts work that is held back. Errors: `SPOC_INVALID_ARGUMENT`
/// (`NULL`; `DEVICE`: of another device; `DESTROYED`; `VALUE`: a timing event on a stream made
/// `UNTIMED`); `SPOC_BACKEND_ERROR`; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_event_record(spoc_event event, spoc_stream stream,
                                       spoc_error* error) SPOC_NOEXCEPT;

/// Everything enqueued on `stream` from now on waits for the event's current recording; an event
/// never recorded has no effect. The host does not wait where the device says `event_wait_device`.
/// The stream may be on another device of the backend where the driver orders the two. Errors:
/// `SPOC_INVALID_ARGUMENT` (`NULL`; `DEVICE`: of two backends; `DESTROYED`);
/// `SPOC_FEATURE_NOT_SUPPORTED` (the driver does not order the two devices); `SPOC_BACKEND_ERROR`;
/// `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_stream_wait_event(spoc_stream stream, spoc_event event,
                                            spoc_error* error) SPOC_NOEXCEPT;

/// Whether the current recording is complete: 1 or 0 to `*out_complete`; 1 when nothing was
/// recorded. Does not block. When it is, what the covered work used is released. Errors:
/// `SPOC_INVALID_ARGUMENT` (`NULL`); `SPOC_BACKEND_ERROR`; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_event_query(spoc_event event, int32_t* out_complete,
                                      spoc_error* error) SPOC_NOEXCEPT;

/// Waits for the current recording, then releases what the covered work used; returns at once when
/// nothing was recorded. Errors: likewise, `SYNC_FAILED`, `LAUNCH_FAILED`, `DEVICE_LOST`.
SPOC_API spoc_status spoc_event_synchronize(spoc_event event, spoc_error* error) SPOC_NOEXCEPT;

/// Milliseconds on the device between two recorded and complete timing events of one device to
/// `*out_ms`, negative when `stop` came first. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`; `DEVICE`;
/// `VALUE`: an event without timing, or never recorded; `BUSY`: one is pending);
/// `SPOC_FEATURE_NOT_SUPPORTED`; `SPOC_BACKEND_ERROR`; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_event_elapsed(spoc_event start, spoc_event stop, double* out_ms,
                                        spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_EVENT_H */
