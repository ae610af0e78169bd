/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_ERROR_H
#define SPOC_ERROR_H

/// \file
/// How libspoc reports failure.
///
/// Every function that can fail returns a `spoc_status` and takes a `spoc_error *` last, which may
/// be null. On success the record is not touched. On failure it is filled whole and every other
/// output keeps the value it had, except where a function says otherwise. The status is the *class*
/// of the error and, with the sub-code, contract: programs may act on it. Text is for people and
/// changes freely.
///
/// The order of checks is fixed: first what can be told from the arguments
/// (`SPOC_INVALID_ARGUMENT`), then what the device offers (`SPOC_FEATURE_NOT_SUPPORTED`), and only
/// then is the driver called. docs/errors.md lists every code.

#include <stdint.h>

#include <spoc/export.h>

SPOC_BEGIN_DECLS

/// The class of an error, 0 for success.
typedef int32_t spoc_status;

#define SPOC_OK 0
/// The caller's mistake; found before any driver call.
#define SPOC_INVALID_ARGUMENT (-1)
/// This backend or device does not offer the feature. Nothing slower was done instead.
#define SPOC_FEATURE_NOT_SUPPORTED (-2)
/// The driver or device failed.
#define SPOC_BACKEND_ERROR (-3)
/// The backend, or the runtime, cannot be used: absent, disabled, refused, forked, ending. `reason`
/// says why.
#define SPOC_UNAVAILABLE (-4)
/// A host range cannot become a buffer of this device.
#define SPOC_HOST_POINTER_REFUSED (-5)
/// A broken invariant inside SPOC: please report it.
#define SPOC_INTERNAL_ERROR (-6)

/// Sub-codes. Numbers are never reused; hundreds follow the class.
#define SPOC_SUB_NONE UINT32_C(0)
/* SPOC_INVALID_ARGUMENT */
#define SPOC_SUB_BOUNDS UINT32_C(101)       ///< offset and length reach beyond the object
#define SPOC_SUB_LENGTH UINT32_C(102)       ///< a size is zero where it may not be, or overflows
#define SPOC_SUB_NULL UINT32_C(103)         ///< a pointer or handle is null
#define SPOC_SUB_DEVICE UINT32_C(104)       ///< the object belongs to another device
#define SPOC_SUB_OVERLAP UINT32_C(105)      ///< source and destination overlap
#define SPOC_SUB_BUSY UINT32_C(106)         ///< the object, or the runtime, is in use
#define SPOC_SUB_NAME UINT32_C(107)         ///< a name or selector is not known or not well formed
#define SPOC_SUB_VALUE UINT32_C(108)        ///< a number or flag is outside the values that exist
#define SPOC_SUB_DESTROYED UINT32_C(109)    ///< the stream was closed
#define SPOC_SUB_FREED UINT32_C(110)        ///< the memory was freed or released
#define SPOC_SUB_LOCATION UINT32_C(111)     ///< the copy on the device is not up to date
#define SPOC_SUB_STALE_HOST UINT32_C(112)   ///< the host's copy is not up to date
#define SPOC_SUB_DEVICE_ONLY UINT32_C(113)  ///< the vector has no host storage
#define SPOC_SUB_KIND UINT32_C(114)         ///< the element kinds differ, or the kind is not taken
#define SPOC_SUB_DUPLICATE UINT32_C(115)    ///< there is one already
#define SPOC_SUB_TOO_MUCH UINT32_C(116)     ///< more than a call takes; `asked` and `limit` are set
#define SPOC_SUB_ARITY UINT32_C(117)        ///< not as many arguments as there are parameters
#define SPOC_SUB_TYPE UINT32_C(118)         ///< an argument is not what its parameter takes
#define SPOC_SUB_LINK UINT32_C(119)         ///< the buffer is not of the kind that is asked for
/* SPOC_BACKEND_ERROR */
#define SPOC_SUB_OOM UINT32_C(301)  ///< out of device memory or page-locked memory
#define SPOC_SUB_TOO_LARGE \
    UINT32_C(302)  ///< above a limit of the device; `asked` and `limit` are set
#define SPOC_SUB_COPY_FAILED UINT32_C(303)
#define SPOC_SUB_LAUNCH_FAILED UINT32_C(304)
#define SPOC_SUB_COMPILE_FAILED UINT32_C(305)
#define SPOC_SUB_MODULE_LOAD_FAILED UINT32_C(306)
#define SPOC_SUB_SYNC_FAILED UINT32_C(307)
#define SPOC_SUB_CONTEXT UINT32_C(308)            ///< the device could not be opened or asked
#define SPOC_SUB_DEVICE_LOST UINT32_C(309)        ///< the device is lost for this process
#define SPOC_SUB_HOST_MEMORY UINT32_C(310)        ///< out of ordinary memory
#define SPOC_SUB_DRIVER UINT32_C(311)             ///< any other driver failure
#define SPOC_SUB_UNREGISTER_FAILED UINT32_C(312)  ///< the driver may still hold the registration
/* SPOC_UNAVAILABLE */
#define SPOC_SUB_LIBRARY_NOT_FOUND \
    UINT32_C(401)                           ///< no plugin file, or its driver library is missing
#define SPOC_SUB_INIT_FAILED UINT32_C(402)  ///< the plugin or its driver does not start
#define SPOC_SUB_DISABLED UINT32_C(403)     ///< switched off by the environment
#define SPOC_SUB_ABI_MISMATCH \
    UINT32_C(404)  ///< the plugin speaks another version of the contract, or breaks it
#define SPOC_SUB_NO_DEVICE UINT32_C(405)
#define SPOC_SUB_FORKED \
    UINT32_C(406)  ///< this process was forked after a backend had been enumerated or opened
#define SPOC_SUB_EXITING UINT32_C(407)    ///< the process is ending
#define SPOC_SUB_SHUT_DOWN UINT32_C(408)  ///< the runtime was shut down after the object was made
#define SPOC_SUB_NOT_INITIALISED UINT32_C(409)  ///< `spoc_init` was not called
#define SPOC_SUB_SOURCE_LANG UINT32_C(410)      ///< the device takes no programs of that format
/* SPOC_HOST_POINTER_REFUSED */
#define SPOC_SUB_NOT_CPU_DEVICE UINT32_C(501)  ///< the backend makes such buffers on CPU devices
#define SPOC_SUB_UNSUPPORTED UINT32_C(502)     ///< the backend makes no such buffers
#define SPOC_SUB_MISALIGNED \
    UINT32_C(503)  ///< the first byte is not aligned; `asked` is its address, `limit` the alignment
#define SPOC_SUB_HOST_TOO_LARGE UINT32_C(504)  ///< above the largest buffer; `asked` and `limit`

/// Everything known about a failure. Caller-owned; `size` is set by the caller (`SPOC_ERROR_INIT`).
typedef struct spoc_error {
    uint32_t size;
    spoc_status status;  ///< the value that the function returned
    uint32_t sub_code;   ///< `SPOC_SUB_*`
    uint32_t reason;     ///< `SPOC_BE_REASON_*` with `SPOC_UNAVAILABLE`, else 0
    int32_t
        backend_status;   ///< the plugin's own status (spoc/backend.h), 0 when no plugin was asked
    int32_t device;       ///< global id of the device concerned, -1 none
    int64_t native_code;  ///< the driver's number, 0 none
    uint64_t asked;       ///< figure that was refused, 0 none
    uint64_t limit;       ///< limit that it broke, 0 none
    char backend[16];     ///< backend concerned, or empty
    char native_domain[24];  ///< whose number `native_code` is, or empty
    char native_call[48];    ///< driver call that failed, or empty
    char operation[40];      ///< function of libspoc that failed
    char message[832];       ///< a full sentence, UTF-8, ends in NUL
    uint64_t tag;            ///< `spoc_launch_options.tag` of a launch that failed, 0 none
} spoc_error;

/// Initialiser for a `spoc_error`.
#define SPOC_ERROR_INIT \
    { sizeof(spoc_error), 0, 0, 0, 0, -1, 0, 0, 0, "", "", "", "", "", 0 }

/// Name of a status, such as "invalid_argument"; "unknown" for a number that is none. Static text.
/// Any thread.
SPOC_API const char* spoc_status_name(spoc_status status) SPOC_NOEXCEPT;

/// Name of a sub-code, such as "bounds"; "none" for 0, "unknown" for a number that is none. Static
/// text. Any thread.
SPOC_API const char* spoc_sub_code_name(uint32_t sub_code) SPOC_NOEXCEPT;

/// Name of a reason (`SPOC_BE_REASON_*`), such as "DRIVER_NOT_FOUND"; "UNKNOWN" for a number that
/// is none. Static text. Any thread.
SPOC_API const char* spoc_reason_name(uint32_t reason) SPOC_NOEXCEPT;

/// What to do about a reason, one line without an end; empty when nothing can be done or `reason`
/// is none. Static text. Any thread.
SPOC_API const char* spoc_reason_hint(uint32_t reason) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_ERROR_H */
