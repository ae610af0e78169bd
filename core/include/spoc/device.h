/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_DEVICE_H
#define SPOC_DEVICE_H

/// \file
/// The devices of every ready backend, under dense global ids from 0 in the order of
/// spoc/backends.h.
///
/// A `spoc_device` names a device; there is nothing to free. It stays valid to pass for the life of
/// the process. A device is opened when something is first made on it.
///
/// **Selectors**, the same in every function, tool and variable: `*` (all), `cuda` (every device of
/// a backend), `cuda:0` (by position in its backend), `cuda:uuid=0123...` (32 hexadecimal digits,
/// dashes allowed), `cuda:pci=0000:65:00.0`; several separated by commas. `SPOC_DEVICES` takes such
/// a list and hides every other device.

#include <stdint.h>

#include <spoc/backend.h>
#include <spoc/error.h>
#include <spoc/export.h>

SPOC_BEGIN_DECLS

typedef struct spoc_device_s* spoc_device;

/// What a device is.
typedef struct spoc_device_info {
    uint32_t size;         ///< `sizeof(spoc_device_info)`, set by the caller
    uint32_t id;           ///< global id
    uint32_t index;        ///< position in its backend
    uint32_t reserved;     ///< 0
    const char* backend;   ///< "cuda"
    const char* selector;  ///< "cuda:0"
    const spoc_be_device_info*
        properties;  ///< names, limits and capabilities as the plugin read them; a figure that is
                     ///< not known is all-ones. All pointers live as long as the process
} spoc_device_info;

/// Answers about a capability. Unknown (the plugin predates it) is never to be taken for yes.
#define SPOC_CAPABILITY_NO UINT32_C(0)
#define SPOC_CAPABILITY_YES UINT32_C(1)
#define SPOC_CAPABILITY_UNKNOWN UINT32_C(2)

/// Number of devices. Enumerates every backend first; may block for as long as drivers take.
/// Errors: as `spoc_backends_probe`; `SPOC_INVALID_ARGUMENT` (`NULL`).
SPOC_API spoc_status spoc_device_count(uint32_t* out_count, spoc_error* error) SPOC_NOEXCEPT;

/// Device with global id `id`, or null in `*out_device` when there is none (that is not an error).
/// Enumerates like `spoc_device_count`. Errors: likewise.
SPOC_API spoc_status spoc_device_get(uint32_t id, spoc_device* out_device,
                                     spoc_error* error) SPOC_NOEXCEPT;

/// Devices that fit `selectors`, each once, in the order of the list and then of ids. Writes at
/// most `capacity` of them and their whole number to `*out_count`; none is not an error. Enumerates
/// like `spoc_device_count`, so that ids do not depend on what was asked first. Errors: likewise;
/// `SPOC_INVALID_ARGUMENT` (`NAME`: malformed selector, or a backend that is neither known nor
/// found); `SPOC_UNAVAILABLE` when a selector names a backend that is not ready, with the reason.
SPOC_API spoc_status spoc_device_select(const char* selectors, spoc_device* out_devices,
                                        uint32_t capacity, uint32_t* out_count,
                                        spoc_error* error) SPOC_NOEXCEPT;

/// The device to use when the program has no wish: discrete GPU before integrated GPU before other
/// accelerator before CPU, then the lowest id. A CPU only when there is no accelerator or the
/// program allowed it (`SPOC_ALLOW_CPU`), and a warning is logged once. Errors: likewise;
/// `SPOC_UNAVAILABLE` (`NO_DEVICE`).
SPOC_API spoc_status spoc_device_best(spoc_device* out_device, spoc_error* error) SPOC_NOEXCEPT;

/// What the device is. Does not open it. Works after shutdown too. Errors: `SPOC_INVALID_ARGUMENT`
/// (`NULL`, `VALUE`).
SPOC_API spoc_status spoc_device_describe(spoc_device device, spoc_device_info* out_info,
                                          spoc_error* error) SPOC_NOEXCEPT;

/// Answer about capability `capability` (`SPOC_BE_CAP_*`): `SPOC_CAPABILITY_*` to `*out_state`.
/// Where the answer is not yes and `reason` is not null, one sentence is written there, cut to
/// `reason_capacity` bytes, NUL included. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`; `VALUE`: a
/// number beyond the four words); `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_device_capability(spoc_device device, uint32_t capability,
                                            uint32_t* out_state, char* reason,
                                            uint64_t reason_capacity,
                                            spoc_error* error) SPOC_NOEXCEPT;

/// The device's memory at this moment, bytes, all-ones where the driver does not say; the caller
/// sets `out_memory->size`. Opens the device. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`);
/// `SPOC_BACKEND_ERROR`; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_device_memory(spoc_device device, spoc_be_memory_info* out_memory,
                                        spoc_error* error) SPOC_NOEXCEPT;

/// `spoc_device_health`: the device works; it is lost, and stays so for this process.
#define SPOC_HEALTH_GOOD UINT32_C(0)
#define SPOC_HEALTH_LOST UINT32_C(1)

/// Whether the device still works: `SPOC_HEALTH_*` to `*out_health`. Asks the driver after the
/// state of the default stream, and waits for nothing, so that a fault of work that has not ended
/// yet is not seen. Opens the device. Any thread. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`);
/// `SPOC_BACKEND_ERROR` (what the driver says that is not the loss of the device);
/// `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_device_health(spoc_device device, uint32_t* out_health,
                                        spoc_error* error) SPOC_NOEXCEPT;

/// Capability number `index` in a fixed order, for tools that list them: its bit to
/// `*out_capability`, its name ("pinned") returned; null when there are no more. Static text. Any
/// thread; needs no runtime.
SPOC_API const char* spoc_capability_at(uint32_t index, uint32_t* out_capability) SPOC_NOEXCEPT;

/// Capability called `name`: its bit to `*out_capability` and 1, or 0 when there is none. Any
/// thread; needs no runtime.
SPOC_API int32_t spoc_capability_find(const char* name, uint32_t* out_capability) SPOC_NOEXCEPT;

/// Name of a device kind (`SPOC_BE_KIND_*`): "discrete". Static text. Any thread; needs no runtime.
SPOC_API const char* spoc_device_kind_name(uint32_t kind) SPOC_NOEXCEPT;

/// What a step of the self-test came to.
#define SPOC_STEP_PASSED UINT32_C(0)
#define SPOC_STEP_FAILED UINT32_C(1)
#define SPOC_STEP_SKIPPED UINT32_C(2)  ///< the device does not offer it; `message` says why

/// One step of the self-test.
typedef struct spoc_self_test_step {
    uint32_t outcome;  ///< `SPOC_STEP_*`
    uint32_t reserved;
    char name[24];      ///< "copy_to_device"
    char message[480];  ///< empty when passed
} spoc_self_test_step;

/// Uses the device in small and checks every result: allocation, page-locked allocation, copies
/// each way and on the device, fill, event order across two streams, one launch, and that
/// everything was freed. Writes at most `capacity` steps, in a fixed order, and their whole number
/// to `*out_count`. Opens the device; blocks; at most a few MiB are used. A failed step is not an
/// error of the call: the caller reads the outcomes. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`);
/// `SPOC_BACKEND_ERROR` when the device cannot be opened; `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_device_self_test(spoc_device device, spoc_self_test_step* out_steps,
                                           uint32_t capacity, uint32_t* out_count,
                                           spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_DEVICE_H */
