/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_BACKENDS_H
#define SPOC_BACKENDS_H

/// \file
/// What backends there are, and why one that is missing is missing.
///
/// The list has one entry for every plugin file found on the search path, and one for every backend
/// SPOC knows by name (cuda, hip, ocl, vk, metal, native) that has no file. Order: the known names
/// in that order (or as `SPOC_BACKENDS` lists them), then others by name; files of one name in
/// search order, the first of which counts while later ones are `SPOC_STATE_SHADOWED`.
///
/// Listing is *passive* until somebody asks for devices: plugins are loaded and look for their
/// driver's library, but no driver is initialised and no thread started. `spoc_backends_probe` with
/// `SPOC_BE_PROBE_ENUMERATE`, every function of spoc/device.h, and `spoc_backend_require` go
/// further. Results live as long as the runtime; nothing is kept on disk.

#include <stdint.h>

#include <spoc/backend.h>
#include <spoc/error.h>
#include <spoc/export.h>

SPOC_BEGIN_DECLS

/// What became of a backend.
#define SPOC_STATE_READY UINT32_C(0)  ///< nothing stands in the way, as far as it was probed
#define SPOC_STATE_UNUSABLE \
    UINT32_C(1)  ///< the plugin is fine; its driver or device is not there or does not work
#define SPOC_STATE_ABSENT UINT32_C(2)    ///< no plugin file
#define SPOC_STATE_DISABLED UINT32_C(3)  ///< switched off
#define SPOC_STATE_SHADOWED UINT32_C(4)  ///< another file of the same name came first
#define SPOC_STATE_FAULTY UINT32_C(5)    ///< the file is not a usable plugin

/// How far a backend got. Each stage includes those before it.
#define SPOC_STAGE_NONE UINT32_C(0)     ///< not looked at: absent, disabled, shadowed
#define SPOC_STAGE_FILE UINT32_C(1)     ///< name, permissions, file header and note were looked at
#define SPOC_STAGE_LOADED UINT32_C(2)   ///< the system loader took the file
#define SPOC_STAGE_TABLE UINT32_C(3)    ///< the table was accepted
#define SPOC_STAGE_PASSIVE UINT32_C(4)  ///< the passive probe succeeded
#define SPOC_STAGE_ENUMERATED UINT32_C(5)  ///< devices were counted
#define SPOC_STAGE_OPENED UINT32_C(6)      ///< each device was opened once, in a helper process

/// One entry of the list. The caller sets `size`; text ends in NUL and is cut to fit.
typedef struct spoc_backend_info {
    uint32_t size;
    uint32_t state;      ///< `SPOC_STATE_*`
    uint32_t reason;     ///< `SPOC_BE_REASON_*`; NONE when ready
    uint32_t stage;      ///< `SPOC_STAGE_*` reached
    uint32_t abi_major;  ///< of the contract the plugin was built for; 0 not known
    uint32_t abi_minor;
    uint32_t device_count;       ///< all-ones: not counted yet
    uint32_t threads_started;    ///< threads its drivers started in the process that probed it
    uint32_t driver_version[4];  ///< found; all-ones each: not known
    uint32_t driver_minimum[4];  ///< needed, likewise
    int64_t native_code;         ///< the driver's number for `reason`, 0 none
    uint64_t elapsed_ns;         ///< time from looking at the file to the last stage
    char name[16];               ///< "cuda"
    char native_domain[24];
    char plugin_vendor[64];
    char plugin_version[32];
    char driver_name[64];
    char driver_path[256];
    char message[512];  ///< one sentence on `reason`, with the system loader's or driver's own
                        ///< words; empty when ready
    char hint[256];     ///< what to do about it; may be empty
    char skipped[952];  ///< devices or drivers passed over, a line "name: reason" each
    char file[3200];    ///< absolute path of the plugin, empty when absent
} spoc_backend_info;

/// Where plugins were looked for.
#define SPOC_SEARCH_APPLICATION UINT32_C(0)  ///< `spoc_options.plugin_dirs`
#define SPOC_SEARCH_FILES UINT32_C(1)        ///< a file named by `SPOC_PLUGIN_FILES`
#define SPOC_SEARCH_PATH UINT32_C(2)         ///< a directory named by `SPOC_PLUGIN_PATH`
#define SPOC_SEARCH_LIBRARY UINT32_C(3)      ///< `spoc/1` beside libspoc
#define SPOC_SEARCH_CONFIGURED UINT32_C(4)   ///< the directory chosen when libspoc was built

/// What became of a place.
#define SPOC_PLACE_SEARCHED UINT32_C(0)        ///< read; its plugins are in the list of backends
#define SPOC_PLACE_MISSING UINT32_C(1)         ///< does not exist
#define SPOC_PLACE_UNREADABLE UINT32_C(2)      ///< exists but cannot be read, or is no directory
#define SPOC_PLACE_REFUSED UINT32_C(3)         ///< relative or empty
#define SPOC_PLACE_IGNORED_SECURE UINT32_C(4)  ///< named by the environment of a privileged program
#define SPOC_PLACE_REPEATED UINT32_C(5)        ///< the same directory came before

/// One place of the search, in search order. The caller sets `size`.
typedef struct spoc_search_place {
    uint32_t size;
    uint32_t source;   ///< `SPOC_SEARCH_*`
    uint32_t verdict;  ///< `SPOC_PLACE_*`
    uint32_t files;    ///< plugin files found there
    char path[4096];
} spoc_search_place;

/// Brings every backend to at least `level` (`SPOC_BE_PROBE_PASSIVE` or `_ENUMERATE`). The first
/// call loads plugins; the work is done once and one caller at a time. Blocks for as long as
/// drivers take; with isolated probes at most the time-out for each. A backend that fails is not an
/// error here: its entry says so. Errors: `SPOC_INVALID_ARGUMENT` (`VALUE`: no such level; `NAME`:
/// a name in `SPOC_BACKENDS` or `SPOC_DEVICES` that fits no backend, with the nearest known one);
/// `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_backends_probe(uint32_t level, spoc_error* error) SPOC_NOEXCEPT;

/// Number of entries. Probes passively first; never changes afterwards while the runtime runs.
/// Errors: as `spoc_backends_probe`; `NULL`.
SPOC_API spoc_status spoc_backend_count(uint32_t* out_count, spoc_error* error) SPOC_NOEXCEPT;

/// Entry `index` as it stands now. Errors: as `spoc_backend_count`; `SPOC_INVALID_ARGUMENT`
/// (`BOUNDS`: no such entry).
SPOC_API spoc_status spoc_backend_get(uint32_t index, spoc_backend_info* out_info,
                                      spoc_error* error) SPOC_NOEXCEPT;

/// Succeeds when backend `name` is ready and has at least one device, after enumerating *that
/// backend only*. Never picks another instead. Errors: `SPOC_UNAVAILABLE` with `reason` and the
/// message of its entry; `SPOC_INVALID_ARGUMENT` (`NAME`: not a known or found backend; `NULL`).
SPOC_API spoc_status spoc_backend_require(const char* name, spoc_error* error) SPOC_NOEXCEPT;

/// Number of places searched. Errors: as `spoc_backend_count`.
SPOC_API spoc_status spoc_search_count(uint32_t* out_count, spoc_error* error) SPOC_NOEXCEPT;

/// Place `index`. Errors: as `spoc_backend_get`.
SPOC_API spoc_status spoc_search_get(uint32_t index, spoc_search_place* out_place,
                                     spoc_error* error) SPOC_NOEXCEPT;

/// Name of a state ("ready"), a stage ("passive"), a search source ("SPOC_PLUGIN_PATH") or a
/// place's verdict ("missing"); "unknown" for a number that is none. Static text. Any thread.
SPOC_API const char* spoc_state_name(uint32_t state) SPOC_NOEXCEPT;
SPOC_API const char* spoc_stage_name(uint32_t stage) SPOC_NOEXCEPT;
SPOC_API const char* spoc_search_source_name(uint32_t source) SPOC_NOEXCEPT;
SPOC_API const char* spoc_place_verdict_name(uint32_t verdict) SPOC_NOEXCEPT;

/// Setting `index` of the environment, in a fixed order, for tools that list them; null when there
/// are no more.
typedef struct spoc_setting {
    uint32_t size;
    uint32_t flags;            ///< `SPOC_SETTING_*`
    const char* name;          ///< "SPOC_PLUGIN_PATH"; static text
    const char* value;         ///< as set, or null; lives as long as the process
    const char* default_text;  ///< what holds when it is not set; static text
    const char* summary;       ///< one line; static text
} spoc_setting;

/// `spoc_setting.flags`: ignored in this process because it is privileged and the setting names
/// files.
#define SPOC_SETTING_IGNORED_SECURE UINT32_C(1)
/// `spoc_setting.flags`: the value is not one that the setting takes; the default holds.
#define SPOC_SETTING_BAD_VALUE UINT32_C(2)

/// Writes setting `index` and returns 1, or returns 0 when there is none. Needs no runtime. Any
/// thread.
SPOC_API int32_t spoc_setting_get(uint32_t index, spoc_setting* out_setting) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_BACKENDS_H */
