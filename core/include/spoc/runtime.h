/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_RUNTIME_H
#define SPOC_RUNTIME_H

/// \file
/// Starting and ending libspoc in a process.
///
/// There is one runtime in a process, counted: each `spoc_init` needs one `spoc_shutdown`, and the
/// last one releases everything. Between them every other function may be called from any thread.
/// Outside them every function that needs the runtime fails with `SPOC_UNAVAILABLE`
/// (`NOT_INITIALISED` before the first start, `SHUT_DOWN` after a shutdown); none crashes.
///
/// **Fork.** A child forked before any backend was enumerated or opened may use libspoc as if it
/// were new. In a child forked later, functions that need a driver fail with `SPOC_UNAVAILABLE`
/// (`SPOC_SUB_FORKED`) and destroy functions do nothing. The cure is to fork first, or to call one
/// of the exec functions in the child.
///
/// **Exit.** A program may end at any moment without `spoc_shutdown`. From the time `exit` runs its
/// handlers, functions fail with `SPOC_UNAVAILABLE` (`SPOC_SUB_EXITING`) and destroy functions do
/// nothing; no driver is called any more.
///
/// **Unloading.** libspoc and the plugins it loaded stay mapped when a program closes them.

#include <stdint.h>

#include <spoc/error.h>
#include <spoc/export.h>

SPOC_BEGIN_DECLS

#define SPOC_VERSION_MAJOR 0
#define SPOC_VERSION_MINOR 1
#define SPOC_VERSION_PATCH 0

/// `spoc_options.flags`: probe every plugin in a process of its own before it is loaded into this
/// one, so that a driver that crashes or hangs costs one entry of the list (also switched on by
/// `SPOC_PROBE=isolated`).
#define SPOC_ISOLATE_PROBES UINT32_C(1)
/// `spoc_options.flags`: probe in this process, whatever `SPOC_PROBE` says.
#define SPOC_NEVER_ISOLATE UINT32_C(2)
/// `spoc_options.flags`: automatic choice (`spoc_device_best`) may pick a CPU even where there is
/// an accelerator to prefer; without it a CPU is picked only when there is nothing else.
#define SPOC_ALLOW_CPU UINT32_C(4)

/// `spoc_options.flags`: where probes are isolated, they also open each device once and ask for its
/// memory before this process does. Opening makes a context on the device for a moment.
#define SPOC_PROVE_DEVICES UINT32_C(8)

/// How to start the runtime. All fields may be zero.
typedef struct spoc_options {
    uint32_t size;                   ///< `sizeof(spoc_options)`, set by the caller
    uint32_t flags;                  ///< `SPOC_ISOLATE_PROBES`, ...
    uint32_t probe_timeout_ms;       ///< time-out of one isolated probe; 0: 10,000
    uint32_t plugin_dir_count;       ///< entries at `plugin_dirs`
    const char* const* plugin_dirs;  ///< absolute directories, searched before all others
                                     ///< unless SPOC_PLUGIN_FILES is set; copied
} spoc_options;

/// Starts the runtime, or adds a reference to the running one.
///
/// `options` may be null. It is read only when the runtime starts; passing one while it runs is an
/// error, since two parts of a program would disagree. Loads no plugin and calls no driver: that
/// happens on first use. Does not block. Errors: `SPOC_INVALID_ARGUMENT` (`BUSY`: options given
/// while running; `VALUE`: unknown flag, or a size that is no version of `spoc_options`; `NAME`: a
/// relative or empty directory); `SPOC_UNAVAILABLE` (`FORKED`, `EXITING`).
SPOC_API spoc_status spoc_init(const spoc_options* options, spoc_error* error) SPOC_NOEXCEPT;

/// Gives one reference back. The last one waits for calls in flight, destroys every object still
/// alive in the order that drivers need, and closes devices and backends in reverse order of
/// opening. Handles that the program still holds stay valid to pass: destroying one is then a no-op
/// that frees the handle, anything else fails with `SPOC_UNAVAILABLE`
/// (`SHUT_DOWN`). `spoc_init` may follow. May block while work finishes.
/// Errors: `SPOC_UNAVAILABLE` (`NOT_INITIALISED`: more shutdowns than inits). A driver that fails
/// while it is closed is logged, not reported.
SPOC_API spoc_status spoc_shutdown(spoc_error* error) SPOC_NOEXCEPT;

/// Version of the library that is running, such as "0.1.0". Static text. Any thread.
SPOC_API const char* spoc_version(void) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_RUNTIME_H */
