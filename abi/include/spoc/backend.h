/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_BACKEND_H
#define SPOC_BACKEND_H

/// \file
/// The contract between libspoc and a backend plugin, version 1.
///
/// A plugin is a shared object named `libspoc-<name>.so` (`.dylib` on macOS). It exports exactly
/// one symbol, the constant data object `spoc_backend_v1` of type `spoc_be_table`, and carries an
/// ELF note that says the same things without being loaded. The plugin needs no symbol of libspoc:
/// every service of the host arrives in `spoc_be_host`.
///
/// A plugin author defines both with one macro:
///
///     SPOC_BE_PLUGIN("acme", "1.4.0") = {
///         .header = SPOC_BE_TABLE_HEADER,
///         .name = "acme",
///         .vendor = "Acme Inc.",
///         .version = "1.4.0",
///         .build_id = "",
///         .probe = acme_probe,
///         .open = acme_open,
///         // and so on, in table order
///     };
///
/// docs/abi.md is the walk-through; docs/adr/0002 says why the table has this shape and
/// docs/adr/0003 names the driver call behind each entry on CUDA, HIP, OpenCL, Vulkan, Metal and
/// WebGPU.
///
/// # Rules that hold for everything here
///
/// **Division of work.** The host checks, the plugin trusts: when an entry is called, ranges lie
/// inside their objects, sums do not overflow, source and destination of a copy do not overlap,
/// counts and sizes respect the limits in `spoc_be_device_info`, and objects belong to the device
/// they are used on (except the source of a PEER copy, and an event waited for on another device
/// where `peer_query` says EVENTS). Pointers are not null, except `ext`, `error`, pointers next to
/// a count or capacity of 0, and those that say "or null". A plugin asserts at most. It reports a
/// limit that the driver has and `spoc_be_device_info` does not state with TOO_LARGE or MISALIGNED.
/// A plugin never reads the environment, never writes to stdout or stderr, never stages pageable
/// memory of its own.
///
/// **Sizes.** Every structure that one side fills for the other starts with `uint32_t size`, set by
/// the *caller* to its own `sizeof` and left as it is by the callee. The caller zeroes a structure
/// that it wants filled. The callee reads and writes only the first `size` bytes, and ignores what
/// of them it does not know; a flag bit or kind that it does not know is `SPOC_BE_UNSUPPORTED`.
/// Structures that travel in arrays (range, arg, param, constant) have no size and never grow:
/// their growth is a new structure and a new entry.
///
/// **Growth.** Append only. No field or entry is ever moved, retyped or renumbered within a major
/// version, and a reserved field gets a meaning only with a capability bit or a minor version. A
/// field added to a structure that the plugin fills means "not known" when it is 0, since that is
/// what an older plugin leaves there. Both sides compute with sizes; the minor version is for
/// messages. A new major version is a new symbol
/// (`spoc_backend_v2`), and one file may export both.
///
/// **Extensions.** A request may carry a chain of `spoc_be_ext`. A plugin skips a type it does not
/// know, unless bit 31 of the type is set: then it returns `SPOC_BE_EXTENSION` and has done
/// nothing.
///
/// **Status.** Every entry but `quiesce` returns an `int32_t` status and takes `spoc_be_error
/// *error` last, which may be null. The plugin writes the record only when it fails. Outputs are
/// untouched on failure, except where an entry says otherwise (`report`, `done`, build logs).
/// HOST_MEMORY, INTERNAL, DRIVER and DEVICE_LOST may come from every entry, EXTENSION from every
/// entry with an extension chain; the lists at the entries name the others. Out of memory on a
/// device whose memory is the host's is OUT_OF_MEMORY.
///
/// **Ending objects.** An entry that destroys, frees or closes ends its handle also when it fails,
/// and also on a lost device; only a failed `host_unregister` leaves its handle valid. Live handles
/// of one kind differ from each other.
///
/// **Text** is UTF-8, ends in NUL, and lives in the caller's buffer or in static storage of the
/// plugin. Neither side frees the other's memory.
///
/// **No C++ crosses the boundary.** No exception may leave an entry; a plugin in C++ catches
/// everything and returns `SPOC_BE_INTERNAL`.
///
/// **Thread state.** An entry leaves the calling thread as it found it: a driver's "current
/// context" or "current device" is put back before the entry returns, also on failure.
///
/// **Thread classes**, named at each entry:
/// - **I**: the host makes one such call at a time in the process.
/// - **S**: any thread at any time, on the same handle too.
/// - **H**: never two at once that name the same stream or the same event; others at once.
/// - **X**: the handle is idle and nobody else uses it; the call ends it.
///
/// Entries of class I exclude each other and `close`, not entries of the other classes.
///
/// **Progress.** After `event_record`, and after any query or synchronise, the work involved has
/// been submitted: polling alone reaches completion with no further call. Launches may be held back
/// in a batch until `stream_flush`, a record, a query, a synchronise, a copy on that stream, or the
/// plugin's own batch limit.
///
/// **Destroying is not waiting.** `buffer_destroy`, `event_destroy`, `kernel_destroy` and
/// `program_destroy` may come while work that uses the object is pending or only recorded; the
/// plugin keeps what that work needs. A kernel may outlive its program. `stream_destroy`,
/// `pinned_free`, `host_unregister` and `device_close` are called only after the host has proved
/// completion.
///
/// **Unknown is a value.** A limit that was not read from the driver is all-ones
/// (`SPOC_BE_UNKNOWN_32`, `SPOC_BE_UNKNOWN_64`), never an invented figure. Where 0 has a meaning of
/// its own the field says so.
///
/// The layout of this header is locked: tests compare every structure, offset, entry index and
/// constant with the committed file `abi/layout-v1.txt`, with gcc and clang.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SPOC_BE_EXTERN_C extern "C"
extern "C" {
#else
#define SPOC_BE_EXTERN_C extern
#endif

#if defined(__GNUC__)
#define SPOC_BE_EXPORT __attribute__((visibility("default")))
#else
#error "spoc/backend.h: this compiler's way to export one symbol is not known; add it here"
#endif

#if UINTPTR_MAX != UINT64_MAX
#error "spoc/backend.h describes 64-bit processes only"
#endif

/* ---- Version and identity ---- */

/// Major version of this contract. It is also in the symbol's name and in the plugin directory's
/// name.
#define SPOC_BE_ABI_MAJOR 1
/// Minor version: counts additions, for messages only.
#define SPOC_BE_ABI_MINOR 0
/// First eight bytes of the plugin's table: "SPOCBEv1" read as a little-endian number.
#define SPOC_BE_MAGIC UINT64_C(0x31764542434F5053)
/// First eight bytes of the host's table: "SPOCHOST" read as a little-endian number.
#define SPOC_BE_HOST_MAGIC UINT64_C(0x54534F48434F5053)

/// How a binary was built (`spoc_be_header.flavour`, bit mask). The host refuses a plugin with a
/// sanitizer bit that it does not have itself, before it loads the file: a plain process dies
/// inside `dlopen` of an instrumented one.
#define SPOC_BE_FLAVOUR_ASAN UINT32_C(1)
#define SPOC_BE_FLAVOUR_TSAN UINT32_C(2)
#define SPOC_BE_FLAVOUR_DEBUG UINT32_C(4)

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPOC_BE_BUILD_ASAN SPOC_BE_FLAVOUR_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define SPOC_BE_BUILD_TSAN SPOC_BE_FLAVOUR_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(SPOC_BE_BUILD_ASAN)
#define SPOC_BE_BUILD_ASAN SPOC_BE_FLAVOUR_ASAN
#endif
#if defined(__SANITIZE_THREAD__) && !defined(SPOC_BE_BUILD_TSAN)
#define SPOC_BE_BUILD_TSAN SPOC_BE_FLAVOUR_TSAN
#endif
#ifndef SPOC_BE_BUILD_ASAN
#define SPOC_BE_BUILD_ASAN UINT32_C(0)
#endif
#ifndef SPOC_BE_BUILD_TSAN
#define SPOC_BE_BUILD_TSAN UINT32_C(0)
#endif
#ifdef NDEBUG
#define SPOC_BE_BUILD_DEBUG UINT32_C(0)
#else
#define SPOC_BE_BUILD_DEBUG SPOC_BE_FLAVOUR_DEBUG
#endif
/// The flavour of the translation unit being compiled.
#define SPOC_BE_BUILD_FLAVOUR (SPOC_BE_BUILD_ASAN | SPOC_BE_BUILD_TSAN | SPOC_BE_BUILD_DEBUG)

/// All-ones: "not known" (limits, counts, byte totals).
#define SPOC_BE_UNKNOWN_32 UINT32_MAX
#define SPOC_BE_UNKNOWN_64 UINT64_MAX
/// NUMA node not known (`spoc_be_device_info.numa_node`).
#define SPOC_BE_NUMA_UNKNOWN (-1)
/// A 64-bit limit that does not exist: any value is taken. One less than unknown, so that a host
/// can tell them apart; it enforces neither.
#define SPOC_BE_NO_LIMIT (UINT64_MAX - 1)

/// Time-outs, in nanoseconds: 0 polls, all-ones waits for ever.
#define SPOC_BE_NO_WAIT UINT64_C(0)
#define SPOC_BE_FOREVER UINT64_MAX

/* ---- Status and reason codes ---- */

/// Status codes. Zero is success, positive is information, negative is failure. Append only; a host
/// prints a code it does not know with its number, treats a negative one as `SPOC_BE_DRIVER` and a
/// positive one as success.
#define SPOC_BE_OK 0
/// A query, or a wait whose time ran out: the work is still pending. Not a failure.
#define SPOC_BE_NOT_READY 1
/// The host broke this contract (a bug in the host).
#define SPOC_BE_INVALID (-1)
/// The device or driver does not offer what was asked. Fill the reason into the message.
#define SPOC_BE_UNSUPPORTED (-2)
/// Device memory, or the budget for page-locked memory, is exhausted. Returned only after the
/// plugin has reclaimed what its own finished work still held; the host may free memory and retry
/// once.
#define SPOC_BE_OUT_OF_MEMORY (-3)
/// Ordinary host memory is exhausted.
#define SPOC_BE_HOST_MEMORY (-4)
/// A size is above a limit of the device; `asked` and `limit` are filled.
#define SPOC_BE_TOO_LARGE (-5)
/// The device is lost. Sticky: every later call on it says so, those that end objects aside.
#define SPOC_BE_DEVICE_LOST (-6)
/// The driver failed in a way that no other code describes; `native_code` and `native_domain` are
/// filled.
#define SPOC_BE_DRIVER (-7)
/// A program did not compile or link; the build log was written.
#define SPOC_BE_COMPILE (-8)
/// The program holds no kernel of that name.
#define SPOC_BE_NOT_FOUND (-9)
/// The program's bytes are malformed, or their format is not one this device takes.
#define SPOC_BE_FORMAT (-10)
/// The backend cannot be used; `reason` is filled.
#define SPOC_BE_UNAVAILABLE (-11)
/// The process was forked after the backend had been opened. A host enters no entry then, so a
/// plugin need not look; it may say so where it notices.
#define SPOC_BE_FORKED (-12)
/// The process is ending. As for FORKED.
#define SPOC_BE_EXITING (-13)
/// A bug in the plugin, such as an exception caught at the boundary.
#define SPOC_BE_INTERNAL (-14)
/// Work launched earlier failed on the device; `tag` names the first failed launch of its batch.
/// Said once, by the first query, synchronise, record, copy or launch on the stream that notices;
/// the stream can be used afterwards.
#define SPOC_BE_LAUNCH (-15)
/// The object is in use and the call does not wait.
#define SPOC_BE_BUSY (-16)
/// An address, offset or size breaks an alignment rule; `asked` (it) and `limit` (the alignment)
/// are filled.
#define SPOC_BE_MISALIGNED (-17)
/// The request carries a must-understand extension that the plugin does not know.
#define SPOC_BE_EXTENSION (-18)

/// Why a backend cannot be used (`spoc_be_probe_report.reason`, `spoc_be_error.reason`). Append
/// only. The host sets the codes up to `WRONG_FLAVOUR` and the last block by itself; a plugin's
/// probe answers with those from `DRIVER_NOT_FOUND` to `DRIVER_INIT_FAILED`, `PLATFORM_UNSUPPORTED`
/// and `INTERNAL`; any other from it reads as `DRIVER_INIT_FAILED`. No driver is DRIVER_NOT_FOUND,
/// also where a loader for drivers is there and finds none; a driver without a device is NO_DEVICE;
/// devices of which none has what the backend needs are DEVICE_UNSUPPORTED. docs/errors.md has a
/// paragraph and a cure for each.
#define SPOC_BE_REASON_NONE UINT32_C(0)
#define SPOC_BE_REASON_NOT_INSTALLED UINT32_C(1)
#define SPOC_BE_REASON_DISABLED_BY_USER UINT32_C(2)
#define SPOC_BE_REASON_DISABLED_BY_ADMIN UINT32_C(3)
#define SPOC_BE_REASON_FILE_UNREADABLE UINT32_C(4)
#define SPOC_BE_REASON_SHADOWED UINT32_C(5)
#define SPOC_BE_REASON_IGNORED_SECURE UINT32_C(6)
#define SPOC_BE_REASON_UNSAFE_PERMISSIONS UINT32_C(7)
#define SPOC_BE_REASON_NOT_ELF UINT32_C(8)
#define SPOC_BE_REASON_WRONG_ARCH UINT32_C(9)
#define SPOC_BE_REASON_MISSING_DEPENDENCY UINT32_C(10)
#define SPOC_BE_REASON_UNRESOLVED_SYMBOL UINT32_C(11)
#define SPOC_BE_REASON_NO_ENTRY UINT32_C(12)
#define SPOC_BE_REASON_BAD_MAGIC UINT32_C(13)
#define SPOC_BE_REASON_ABI_TOO_OLD UINT32_C(14)
#define SPOC_BE_REASON_ABI_TOO_NEW UINT32_C(15)
#define SPOC_BE_REASON_MISSING_REQUIRED_ENTRY UINT32_C(16)
#define SPOC_BE_REASON_INCONSISTENT UINT32_C(17)
#define SPOC_BE_REASON_WRONG_FLAVOUR UINT32_C(18)
#define SPOC_BE_REASON_DRIVER_NOT_FOUND UINT32_C(19)
#define SPOC_BE_REASON_DRIVER_STUB UINT32_C(20)
#define SPOC_BE_REASON_DRIVER_TOO_OLD UINT32_C(21)
#define SPOC_BE_REASON_DRIVER_MISSING_SYMBOL UINT32_C(22)
#define SPOC_BE_REASON_KERNEL_MODULE_MISSING UINT32_C(23)
#define SPOC_BE_REASON_NO_PERMISSION UINT32_C(24)
#define SPOC_BE_REASON_NO_DEVICE UINT32_C(25)
#define SPOC_BE_REASON_DEVICE_UNSUPPORTED UINT32_C(26)
#define SPOC_BE_REASON_DRIVER_INIT_FAILED UINT32_C(27)
#define SPOC_BE_REASON_PROBE_CRASHED UINT32_C(28)
#define SPOC_BE_REASON_PROBE_TIMEOUT UINT32_C(29)
#define SPOC_BE_REASON_PLATFORM_UNSUPPORTED UINT32_C(30)
#define SPOC_BE_REASON_SIGNATURE_REFUSED UINT32_C(31)
#define SPOC_BE_REASON_FORKED_CHILD UINT32_C(32)
#define SPOC_BE_REASON_EXITING UINT32_C(33)
#define SPOC_BE_REASON_INTERNAL UINT32_C(34)

/* ---- Handles ---- */

/// Handles are pointers to structures that only the plugin defines, so that a swapped argument does
/// not compile. All are made by the plugin and owned by the host, which ends each with its destroy
/// entry, except that a device's default stream lives and ends with its device.
typedef struct spoc_be_device_s* spoc_be_device;
typedef struct spoc_be_buffer_s* spoc_be_buffer;
typedef struct spoc_be_hostmem_s* spoc_be_hostmem;
typedef struct spoc_be_stream_s* spoc_be_stream;
typedef struct spoc_be_event_s* spoc_be_event;
typedef struct spoc_be_program_s* spoc_be_program;
typedef struct spoc_be_kernel_s* spoc_be_kernel;

/* ---- Common structures ---- */

/// First member of both tables.
typedef struct spoc_be_header {
    uint64_t magic;       ///< `SPOC_BE_MAGIC` or `SPOC_BE_HOST_MAGIC`
    uint32_t size;        ///< bytes of the whole table as its author's header knows it
    uint16_t major;       ///< `SPOC_BE_ABI_MAJOR`
    uint16_t minor;       ///< `SPOC_BE_ABI_MINOR`
    uint32_t flavour;     ///< `SPOC_BE_FLAVOUR_*` mask
    uint32_t reserved_0;  ///< 0
    uint64_t reserved_1;  ///< 0
} spoc_be_header;

/// One link of an extension chain.
typedef struct spoc_be_ext {
    uint32_t type;  ///< what it is; bit 31 (`SPOC_BE_EXT_REQUIRED`) set: must be understood
    uint32_t size;  ///< bytes of the whole extension structure that starts with this one
    const struct spoc_be_ext* next;  ///< next link or null
} spoc_be_ext;

/// Bit of `spoc_be_ext.type`: a plugin that does not know the type refuses the call with
/// `SPOC_BE_EXTENSION`.
#define SPOC_BE_EXT_REQUIRED UINT32_C(0x80000000)

/// What went wrong. Caller-owned; the host sets `size` once and the plugin fills the rest when, and
/// only when, an entry fails. Fields that do not apply are 0 or empty.
typedef struct spoc_be_error {
    uint32_t size;        ///< set by the caller
    int32_t status;       ///< the status that the entry returned
    uint32_t reason;      ///< `SPOC_BE_REASON_*`, with `SPOC_BE_UNAVAILABLE`; else 0
    uint32_t flags;       ///< 0
    int64_t native_code;  ///< the driver's own error number, 0 when there is none
    uint64_t asked;       ///< figure that was refused, 0 when there is none
    uint64_t limit;       ///< the limit it broke, 0 when there is none
    uint64_t tag;  ///< `spoc_be_launch.tag` of the launch the error is about, 0 when there is none
    char native_domain[24];  ///< whose number `native_code` is: "CUresult", "VkResult", "errno"
    char origin[48];         ///< the driver call that failed: "cuMemAlloc"
    char message[392];  ///< one full sentence with the value and the limit in parentheses; never an
                        ///< address or a path of the user's home unless it is the object at fault
} spoc_be_error;

/* ---- Probing ---- */

/// Levels of `probe`. PASSIVE opens the vendor's library and looks at device nodes and kernel
/// modules; it does not initialise a driver, starts no thread and can be followed by `fork`.
/// ENUMERATE may initialise drivers and counts devices.
#define SPOC_BE_PROBE_PASSIVE UINT32_C(1)
#define SPOC_BE_PROBE_ENUMERATE UINT32_C(2)

/// `spoc_be_probe_report.flags`: usable, but with a version that is known to misbehave; `message`
/// says how.
#define SPOC_BE_PROBE_WARNING UINT32_C(1)

/// What a probe found. The caller zeroes it and sets `size`; the plugin fills the rest, on success
/// and on failure.
typedef struct spoc_be_probe_report {
    uint32_t size;
    uint32_t level;   ///< level reached, `SPOC_BE_PROBE_*`
    uint32_t reason;  ///< `SPOC_BE_REASON_*`; NONE: nothing stands in the way as far as this level
                      ///< can tell
    uint32_t flags;   ///< `SPOC_BE_PROBE_WARNING`
    uint32_t device_count;   ///< all-ones: this level cannot tell
    uint32_t skipped_count;  ///< devices or drivers seen and passed over, each named in `skipped`
    uint64_t elapsed_ns;     ///< time spent in the driver, nanoseconds
    int64_t native_code;     ///< the driver's own number for `reason`, 0 when there is none
    uint32_t driver_version[4];  ///< found: major, minor, patch, build; all-ones each: not known
    uint32_t driver_minimum[4];  ///< needed, likewise
    uint32_t threads_started;  ///< threads that drivers started in this process; a fork hazard when
                               ///< not 0
    uint32_t reserved[5];      ///< 0
    char native_domain[24];    ///< whose number `native_code` is
    char driver_name[64];      ///< "NVIDIA CUDA driver"
    char driver_path[256];     ///< file that was opened
    char message[400];  ///< one full sentence on `reason`, with the loader's or driver's own words
    char hint[256];     ///< what to do about it; empty: the host uses its own hint for `reason`
    char skipped[952];  ///< a line "name: reason\n" for each
} spoc_be_probe_report;

/* ---- Devices ---- */

/// `spoc_be_device_info.kind`.
#define SPOC_BE_KIND_UNKNOWN UINT32_C(0)
#define SPOC_BE_KIND_CPU UINT32_C(1)
#define SPOC_BE_KIND_INTEGRATED UINT32_C(2)
#define SPOC_BE_KIND_DISCRETE UINT32_C(3)
#define SPOC_BE_KIND_VIRTUAL UINT32_C(4)
#define SPOC_BE_KIND_OTHER UINT32_C(5)

/// `spoc_be_device_info.flags`: `uuid`, or `pci`, holds what the driver said.
#define SPOC_BE_DEVICE_HAS_UUID UINT32_C(1)
#define SPOC_BE_DEVICE_HAS_PCI UINT32_C(2)

/// Program formats: bit numbers of `spoc_be_device_info.formats`; `spoc_be_program_desc.format` is
/// one bit. The two SPIR-V flavours are not interchangeable.
/// data: path of a shared object, or nothing (spoc/native.h)
#define SPOC_BE_FORMAT_NATIVE_SYMBOL UINT32_C(0)
#define SPOC_BE_FORMAT_OPENCL_C UINT32_C(1)  ///< data: source text
/// data: SPIR-V with the Kernel capability (OpenCL)
#define SPOC_BE_FORMAT_SPIRV_KERNEL UINT32_C(2)
/// data: SPIR-V with the Shader capability (Vulkan)
#define SPOC_BE_FORMAT_SPIRV_SHADER UINT32_C(3)
#define SPOC_BE_FORMAT_GLSL UINT32_C(4)  ///< data: compute shader source; the entry point is `main`
#define SPOC_BE_FORMAT_CUDA_C UINT32_C(5)       ///< data: source text
#define SPOC_BE_FORMAT_PTX UINT32_C(6)          ///< data: text
#define SPOC_BE_FORMAT_CUDA_BINARY UINT32_C(7)  ///< data: cubin or fatbin
#define SPOC_BE_FORMAT_HIP_C UINT32_C(8)        ///< data: source text
#define SPOC_BE_FORMAT_HIP_BINARY UINT32_C(9)   ///< data: code object
#define SPOC_BE_FORMAT_MSL UINT32_C(10)         ///< data: Metal source text
#define SPOC_BE_FORMAT_METALLIB UINT32_C(11)    ///< data: Metal library
#define SPOC_BE_FORMAT_WGSL UINT32_C(12)        ///< data: source text
/// data: what `program_binary` gave on this device and driver
#define SPOC_BE_FORMAT_DRIVER_BINARY UINT32_C(13)

/// Capabilities: bit n lives in word n / 64 of `caps` and `caps_known`, at bit n % 64. Known and
/// set is "yes", known and clear is "no" (with a reason from `cap_reason`), not known is "unknown":
/// the plugin predates the bit, or its driver does not tell. Unknown is never taken for yes. Word
/// 0: memory and transfers.
#define SPOC_BE_CAP_BUFFER_HOST_RANGE UINT32_C(0)
/// a buffer can be made over a host range; buffer_host_access orders
#define SPOC_BE_CAP_BUFFER_HOST_PTR UINT32_C(1)
/// the plugin allocates memory that both sides address
#define SPOC_BE_CAP_BUFFER_UNIFIED UINT32_C(2)
/// the host may touch unified memory while other kernels run
#define SPOC_BE_CAP_UNIFIED_CONCURRENT UINT32_C(3)
#define SPOC_BE_CAP_BUFFER_ADDRESS UINT32_C(4)  ///< `spoc_be_buffer_result.device_address` is real
#define SPOC_BE_CAP_BUFFER_TRACKED UINT32_C(5)  ///< `buffer_wait` exists
#define SPOC_BE_CAP_MEMORY_FREE UINT32_C(6)     ///< `spoc_be_memory_info.free` is real
/// device memory is host memory: copy from mappings as they are
#define SPOC_BE_CAP_SHARED_MEMORY UINT32_C(7)
#define SPOC_BE_CAP_PINNED UINT32_C(8)           ///< `pinned_alloc` and `pinned_free`
#define SPOC_BE_CAP_PINNED_PORTABLE UINT32_C(9)  ///< its handles serve every device of the backend
#define SPOC_BE_CAP_REGISTER UINT32_C(10)        ///< `host_register` and `host_unregister`
#define SPOC_BE_CAP_REGISTER_READ_ONLY UINT32_C(11)  ///< registration takes read-only mappings
/// registering is known to harm machines with this driver family
#define SPOC_BE_CAP_REGISTER_HAZARD UINT32_C(12)
#define SPOC_BE_CAP_HOST_QUERY UINT32_C(13)  ///< `host_query`
/// `copy` without WAIT may return before it ran, host side pinned
#define SPOC_BE_CAP_COPY_ENQUEUED UINT32_C(14)
/// many ranges in one call are cheaper than many calls
#define SPOC_BE_CAP_COPY_BATCH UINT32_C(15)
#define SPOC_BE_CAP_COPY_OVERLAP UINT32_C(16)  ///< copies run beside kernels of other streams
#define SPOC_BE_CAP_PEER_COPY UINT32_C(17)     ///< `copy` of kind PEER and `peer_query`
/// Word 1: streams and events.
/// a blocking stream orders with the default stream
#define SPOC_BE_CAP_STREAM_BLOCKING UINT32_C(64)
#define SPOC_BE_CAP_STREAM_CONCURRENT UINT32_C(65)  ///< two streams can run at once
/// launches may be held until a flush, record, query or synchronise
#define SPOC_BE_CAP_STREAM_DEFERRED UINT32_C(66)
#define SPOC_BE_CAP_EVENT_WAIT_DEVICE UINT32_C(67)  ///< `stream_wait` does not block the host
#define SPOC_BE_CAP_EVENT_TIMING UINT32_C(68)       ///< `event_elapsed` measures on the device
#define SPOC_BE_CAP_TIMED_WAIT UINT32_C(69)         ///< finite time-outs are exact
/// Word 2: programs and launches.
#define SPOC_BE_CAP_LAUNCH_ENQUEUED UINT32_C(128)  ///< `launch` may return before the kernel ran
/// Any block size at launch, except where a kernel's `fixed_block` is not 0, which always rules.
#define SPOC_BE_CAP_FREE_BLOCK UINT32_C(129)
#define SPOC_BE_CAP_SPEC_CONSTANTS UINT32_C(130)  ///< `spoc_be_kernel_desc.constants`
#define SPOC_BE_CAP_DYNAMIC_SHARED UINT32_C(131)  ///< `spoc_be_launch.shared_bytes`
#define SPOC_BE_CAP_LOCAL_ARGS UINT32_C(132)      ///< arguments of kind LOCAL
/// a device address may be passed as an 8-byte scalar
#define SPOC_BE_CAP_RAW_POINTER_ARGS UINT32_C(133)
/// `spoc_be_arg.offset`, in steps of `arg_offset_align`
#define SPOC_BE_CAP_ARG_OFFSET UINT32_C(134)
#define SPOC_BE_CAP_REFLECTION UINT32_C(135)      ///< `kernel_params` says at least the arity
#define SPOC_BE_CAP_PROGRAM_BINARY UINT32_C(136)  ///< `program_binary` and format DRIVER_BINARY
#define SPOC_BE_CAP_FP64 UINT32_C(137)            ///< 64-bit floating point in kernels
#define SPOC_BE_CAP_FP16 UINT32_C(138)            ///< 16-bit floating point in kernels
#define SPOC_BE_CAP_INT64 UINT32_C(139)           ///< 64-bit integers in kernels
#define SPOC_BE_CAP_ATOMICS32 UINT32_C(140)       ///< 32-bit atomics on buffers
#define SPOC_BE_CAP_ATOMICS64 UINT32_C(141)       ///< 64-bit atomics on buffers
/// operations across a subgroup (warp, wave, SIMD group)
#define SPOC_BE_CAP_SUBGROUPS UINT32_C(142)

/// `caps_known` of a plugin that knows every capability of this header, word by word.
#define SPOC_BE_CAPS_KNOWN_0 UINT64_C(0x3FFFF)
#define SPOC_BE_CAPS_KNOWN_1 UINT64_C(0x3F)
#define SPOC_BE_CAPS_KNOWN_2 UINT64_C(0x7FFF)

/// What a device is and what it can do. Immutable from `open` to `close`; no context is made
/// to read it.
typedef struct spoc_be_device_info {
    uint32_t size;
    uint32_t index;          ///< position in this backend, from 0
    uint32_t kind;           ///< `SPOC_BE_KIND_*`
    uint32_t flags;          ///< `SPOC_BE_DEVICE_HAS_*`
    char name[256];          ///< the driver's name for it
    char vendor[64];         ///< "NVIDIA Corporation"
    char arch[64];           ///< "sm_90", "gfx1100", "x86_64"; empty: not known
    char driver[128];        ///< driver name and version
    char framework[32];      ///< "CUDA/PTX"; the family is the part before '/'
    uint8_t uuid[16];        ///< with HAS_UUID
    uint32_t pci[4];         ///< domain, bus, device, function; with HAS_PCI
    uint32_t vendor_id;      ///< PCI vendor id, all-ones unknown
    uint32_t device_id;      ///< PCI device id, all-ones unknown
    uint32_t driver_id;      ///< VkDriverId where there is one, all-ones unknown
    int32_t numa_node;       ///< nearest NUMA node, `SPOC_BE_NUMA_UNKNOWN`
    uint32_t compute_major;  ///< compute capability where the API has one, all-ones unknown
    uint32_t compute_minor;  ///< likewise
    uint64_t caps[4];        ///< `SPOC_BE_CAP_*` bits that are "yes"
    uint64_t caps_known[4];  ///< bits this plugin knows of
    uint64_t formats;        ///< mask of `1 << SPOC_BE_FORMAT_*` that `program_load` takes
    uint64_t memory_total;   ///< bytes of device memory
    uint64_t max_alloc;      ///< largest single buffer, bytes
    uint64_t max_binding;    ///< most bytes of a buffer that one argument may show
    uint64_t max_pinned;     ///< most page-locked bytes in all
    uint64_t pageable_max;   ///< largest range of ordinary host memory that `copy` takes: 0 none,
                             ///< `SPOC_BE_NO_LIMIT` any; the host stages what is larger
    uint64_t inline_write;   ///< largest range that `copy` takes with CONSUME_HOST; 0 none
    uint64_t shared_per_block;     ///< bytes of shared (local, threadgroup) memory a block can have
    uint64_t arg_bytes;            ///< bytes of scalar arguments a launch can have
    double timer_ns;               ///< nanoseconds a tick of the device's timer, 0 unknown
    uint32_t arg_buffers;          ///< buffers a launch can bind
    uint32_t max_block_threads;    ///< threads in a block
    uint32_t max_block[3];         ///< block extent in x, y, z
    uint32_t max_grid[3];          ///< grid extent in blocks in x, y, z
    uint32_t subgroup;             ///< threads in a subgroup
    uint32_t compute_units;        ///< multiprocessors, compute units, cores
    uint32_t clock_khz;            ///< peak clock
    uint32_t registers_per_block;  ///< registers a block can have
    uint32_t queues;               ///< independent driver queues
    uint32_t copy_engines;         ///< engines that copy beside kernels
    uint32_t
        host_ptr_align;  ///< bytes; alignment of the host range of a HOST_PTR or HOST_RANGE buffer
    uint32_t register_align;    ///< bytes; alignment of a registration's start and length
    uint32_t arg_offset_align;  ///< bytes; step of `spoc_be_arg.offset`
    uint32_t inline_align;      ///< bytes; alignment of offset and length of a CONSUME_HOST range
    uint32_t
        copy_align;  ///< bytes; alignment of every copy offset and length; 1 in every v1 plugin
    uint32_t reserved_0;    ///< 0
    uint64_t reserved[23];  ///< 0
} spoc_be_device_info;

/// A device's memory at this moment, bytes; all-ones where the driver does not say.
typedef struct spoc_be_memory_info {
    uint32_t size;
    uint32_t flags;          ///< 0
    uint64_t total;          ///< device memory
    uint64_t free;           ///< of it not in use by anybody
    uint64_t pinned_budget;  ///< page-locked bytes that can still be had
} spoc_be_memory_info;

/// How to open a device.
typedef struct spoc_be_device_desc {
    uint32_t size;
    uint32_t flags;  ///< 0
    const spoc_be_ext* ext;
} spoc_be_device_desc;

/// An open device.
typedef struct spoc_be_device_result {
    uint32_t size;
    uint32_t flags;  ///< 0
    spoc_be_device device;
    spoc_be_stream default_stream;  ///< lives with the device; never given to `stream_destroy`
} spoc_be_device_result;

/* ---- Memory ---- */

/// `spoc_be_buffer_desc.kind`.
#define SPOC_BE_BUFFER_DEVICE UINT32_C(0)      ///< memory of the device's own
#define SPOC_BE_BUFFER_HOST_RANGE UINT32_C(1)  ///< is the host range (cap BUFFER_HOST_RANGE)
#define SPOC_BE_BUFFER_HOST_PTR UINT32_C(2)    ///< made over the host range (cap BUFFER_HOST_PTR)
#define SPOC_BE_BUFFER_UNIFIED UINT32_C(3)  ///< memory that both sides address (cap BUFFER_UNIFIED)

/// A buffer to make.
typedef struct spoc_be_buffer_desc {
    uint32_t size;
    uint32_t kind;   ///< `SPOC_BE_BUFFER_*`
    uint64_t bytes;  ///< never 0; at most `max_alloc`
    void* host;      ///< start of the host range (HOST_RANGE, HOST_PTR), which outlives the buffer;
                     ///< else null
    uint64_t flags;  ///< 0
    const spoc_be_ext* ext;
    uint64_t reserved;  ///< 0
} spoc_be_buffer_desc;

/// A buffer as made.
typedef struct spoc_be_buffer_result {
    uint32_t size;
    uint32_t flags;  ///< 0
    spoc_be_buffer buffer;
    uint64_t device_address;  ///< address kernels see (cap BUFFER_ADDRESS); 0 none
    void* host_address;  ///< address the host may use (HOST_RANGE, HOST_PTR, UNIFIED); else null
    uint64_t allocated;  ///< bytes really taken from the device, all-ones unknown
} spoc_be_buffer_result;

/// `spoc_be_hostmem_desc.flags`: the mapping may only be read.
#define SPOC_BE_HOSTMEM_READ_ONLY UINT32_C(1)

/// Page-locked memory to allocate, or a host range to register.
typedef struct spoc_be_hostmem_desc {
    uint32_t size;
    uint32_t flags;  ///< `SPOC_BE_HOSTMEM_*`
    uint64_t bytes;  ///< never 0
    void* host;      ///< start of the range to register; null for an allocation
    const spoc_be_ext* ext;
} spoc_be_hostmem_desc;

/// Page-locked memory as made.
typedef struct spoc_be_hostmem_result {
    uint32_t size;
    uint32_t flags;  ///< 0
    spoc_be_hostmem hostmem;
    void* host;      ///< start of the memory: page-aligned (allocation), as asked (registration)
    uint64_t bytes;  ///< at least as asked
} spoc_be_hostmem_result;

/// `host_query` answers (bit mask): the whole range is page-locked, by anybody in the process.
#define SPOC_BE_HOST_PINNED UINT32_C(1)
/// `host_query`: the whole range is managed (unified) memory of this driver.
#define SPOC_BE_HOST_MANAGED UINT32_C(2)

/// `buffer_wait` and argument access masks.
#define SPOC_BE_ACCESS_UNKNOWN UINT32_C(0)
#define SPOC_BE_ACCESS_READ UINT32_C(1)
#define SPOC_BE_ACCESS_WRITE UINT32_C(2)
#define SPOC_BE_ACCESS_READ_WRITE UINT32_C(3)
/// With WRITE: the kernel writes every byte it is shown, so earlier contents need not be kept.
#define SPOC_BE_ACCESS_FULL UINT32_C(4)

/// `buffer_host_access` operations.
#define SPOC_BE_HOST_ACQUIRE UINT32_C(0)  ///< device writes become visible to the host; blocks
#define SPOC_BE_HOST_PUBLISH UINT32_C(1)  ///< host writes already made become visible to the device
#define SPOC_BE_HOST_BEGIN_WRITE UINT32_C(2)  ///< the host is about to write
#define SPOC_BE_HOST_END_WRITE UINT32_C(3)    ///< the host has written

/* ---- Copies and fills ---- */

/// One piece of a copy. Which members count depends on `spoc_be_copy.kind`.
typedef struct spoc_be_range {
    spoc_be_buffer dst;       ///< H2D, D2D, PEER
    uint64_t dst_offset;      ///< bytes
    spoc_be_buffer src;       ///< D2H, D2D, PEER
    uint64_t src_offset;      ///< bytes
    void* host;               ///< H2D source (only read), D2H destination
    spoc_be_hostmem hostmem;  ///< page-locked block of this device (or a portable one) that `host`
                              ///< lies in, or null
    uint64_t host_offset;     ///< bytes from that block's start to `host`
    uint64_t bytes;           ///< never 0
} spoc_be_range;

/// `spoc_be_copy.kind`.
#define SPOC_BE_COPY_H2D UINT32_C(0)
#define SPOC_BE_COPY_D2H UINT32_C(1)
#define SPOC_BE_COPY_D2D UINT32_C(2)  ///< both buffers on the stream's device
/// Source on another device of this backend, destination on the stream's device.
#define SPOC_BE_COPY_PEER UINT32_C(3)

/// Flags of copy, fill and launch.
#define SPOC_BE_WAIT UINT32_C(1)  ///< return with `SPOC_BE_DONE_ALL` or an error
/// Copy H2D only: the source may change on return. For ranges of at most `inline_write` bytes, of
/// ordinary memory too, whatever `pageable_max` says.
#define SPOC_BE_CONSUME_HOST UINT32_C(2)

/// What `*done` says when copy, fill or launch returns; there is no value 2. Where a call names no
/// host memory, bit 0 alone says nothing.
#define SPOC_BE_DONE_NOTHING UINT32_C(0)
/// The host memory named in the call is no longer touched.
#define SPOC_BE_DONE_HOST UINT32_C(1)
/// That, and the effect is there for whatever is enqueued on any stream from now on.
#define SPOC_BE_DONE_ALL UINT32_C(3)

/// A copy of one or more ranges. Ranges are unordered among themselves and their destinations are
/// disjoint.
typedef struct spoc_be_copy {
    uint32_t size;
    uint32_t kind;   ///< `SPOC_BE_COPY_*`
    uint32_t flags;  ///< `SPOC_BE_WAIT`, `SPOC_BE_CONSUME_HOST`
    uint32_t count;  ///< ranges, at least 1
    const spoc_be_range* ranges;
    const spoc_be_ext* ext;
} spoc_be_copy;

/// A fill with a repeated pattern. `offset` and `bytes` are multiples of `pattern_size`.
typedef struct spoc_be_fill {
    uint32_t size;
    uint32_t flags;  ///< `SPOC_BE_WAIT`
    spoc_be_buffer buffer;
    uint64_t offset;  ///< bytes
    uint64_t bytes;   ///< never 0
    uint32_t
        pattern;  ///< its low `pattern_size` bytes, in memory order of the device (little-endian)
    uint32_t pattern_size;  ///< 1, 2 or 4
    const spoc_be_ext* ext;
} spoc_be_fill;

/* ---- Streams and events ---- */

/// `spoc_be_stream_desc.flags`.
/// Never ordered against the default stream. Without effect where STREAM_BLOCKING is "no".
#define SPOC_BE_STREAM_NON_BLOCKING UINT32_C(1)
/// Events with timing may be recorded on it; a default stream has it. Given only where EVENT_TIMING
/// is "yes", as is its namesake below.
#define SPOC_BE_STREAM_TIMING UINT32_C(2)

/// `event_create` flags.
#define SPOC_BE_EVENT_TIMING UINT32_C(1)  ///< `event_elapsed` will be asked

/// A stream to make.
typedef struct spoc_be_stream_desc {
    uint32_t size;
    uint32_t flags;       ///< `SPOC_BE_STREAM_*`
    int32_t priority;     ///< 0 ordinary; lower is more urgent; clamped to what the driver has
    uint32_t reserved_0;  ///< 0
    const spoc_be_ext* ext;
} spoc_be_stream_desc;

/* ---- Programs, kernels, launches ---- */

/// A program to load.
typedef struct spoc_be_program_desc {
    uint32_t size;
    uint32_t flags;    ///< 0
    uint64_t format;   ///< `1 << SPOC_BE_FORMAT_*`, one bit of the device's `formats`
    const void* data;  ///< the program's bytes, or null where its format takes none; need not end
                       ///< in NUL; read before the call returns
    uint64_t bytes;    ///< of `data`
    const char* options;  ///< compiler options, or null
    const char* name;     ///< for messages, or null
    char* log;            ///< where the build log goes, or null; written on success and on failure
    uint64_t log_capacity;  ///< bytes at `log`, the NUL included
    uint64_t* log_length;   ///< out, may be null: bytes of the whole log without NUL, also when it
                            ///< did not fit
    const spoc_be_ext* ext;
} spoc_be_program_desc;

/// A value fixed when the kernel is made (Vulkan specialisation constants, Metal function
/// constants).
typedef struct spoc_be_constant {
    uint32_t id;
    uint32_t bytes;  ///< 1, 2, 4 or 8: low bytes of `value`
    uint64_t value;
} spoc_be_constant;

/// `spoc_be_param.kind` and `spoc_be_arg.kind`.
#define SPOC_BE_PARAM_UNKNOWN UINT32_C(0)
#define SPOC_BE_PARAM_BUFFER UINT32_C(1)
#define SPOC_BE_PARAM_SCALAR UINT32_C(2)
#define SPOC_BE_PARAM_LOCAL UINT32_C(3)  ///< block-local memory of a size given at launch
#define SPOC_BE_PARAM_OTHER UINT32_C(4)  ///< images, samplers: cannot be passed in v1

/// `spoc_be_param.element`. Integers of either sign; a vector type is its scalar with the bytes of
/// the whole; any other type is a RECORD.
#define SPOC_BE_ELEMENT_UNKNOWN UINT32_C(0)
#define SPOC_BE_ELEMENT_F32 UINT32_C(1)
#define SPOC_BE_ELEMENT_F64 UINT32_C(2)
#define SPOC_BE_ELEMENT_F16 UINT32_C(3)
#define SPOC_BE_ELEMENT_I32 UINT32_C(4)
#define SPOC_BE_ELEMENT_I64 UINT32_C(5)
#define SPOC_BE_ELEMENT_U8 UINT32_C(6)
#define SPOC_BE_ELEMENT_RECORD UINT32_C(7)

/// One parameter of a kernel, as reflected by the plugin or declared by the caller.
typedef struct spoc_be_param {
    uint32_t index;      ///< what `spoc_be_arg.index` refers to, from 0
    uint32_t kind;       ///< `SPOC_BE_PARAM_*`
    uint32_t access;     ///< `SPOC_BE_ACCESS_*`
    uint32_t element;    ///< `SPOC_BE_ELEMENT_*`
    uint32_t bytes;      ///< scalar size or element stride, 0 unknown
    uint32_t set;        ///< descriptor set where the driver has one, all-ones none
    uint32_t binding;    ///< binding or driver position, all-ones none
    uint32_t offset;     ///< bytes into push constants, all-ones none
    uint64_t min_bytes;  ///< least bytes a buffer must show, 0 unknown
    uint64_t max_bytes;  ///< most bytes a buffer may show (constant memory, for one); 0: no limit
                         ///< but the device's `max_binding`
    char name[48];       ///< empty: not known
} spoc_be_param;

/// A kernel to get out of a program.
typedef struct spoc_be_kernel_desc {
    uint32_t size;
    uint32_t flags;                     ///< 0
    const char* name;                   ///< the entry point
    const spoc_be_constant* constants;  ///< or null
    uint32_t constant_count;
    uint32_t param_count;         ///< 0: nothing declared
    const spoc_be_param* params;  ///< declared by the caller where reflection is silent, or null
    uint32_t block[3];            ///< block extent to compile for now; 0 each: not said
    uint32_t reserved_0;          ///< 0
    const spoc_be_ext* ext;
} spoc_be_kernel_desc;

/// `spoc_be_kernel_info.reflection`: how much `kernel_params` knows. ARITY: how many there are;
/// SIZES: also the kind of every one and the bytes of every scalar; FULL: also the access of every
/// buffer. What is known beyond the level is filled in all the same. A program loaded from a driver
/// binary may know less than its source did.
#define SPOC_BE_REFLECTION_NONE UINT32_C(0)
#define SPOC_BE_REFLECTION_ARITY UINT32_C(1)
#define SPOC_BE_REFLECTION_SIZES UINT32_C(2)
#define SPOC_BE_REFLECTION_FULL UINT32_C(3)

/// What a kernel needs and may use; all-ones unknown.
typedef struct spoc_be_kernel_info {
    uint32_t size;
    uint32_t reflection;  ///< `SPOC_BE_REFLECTION_*`
    uint32_t param_count;
    uint32_t max_block_threads;   ///< for this kernel on this device
    uint32_t preferred_multiple;  ///< a good multiple for the threads of a block
    uint32_t fixed_block[3];  ///< 0 each: any block; else the only block it can be launched with
    uint64_t shared_static;   ///< bytes of shared memory the kernel itself declares
    uint64_t private_bytes;   ///< bytes of private (spill) memory a thread
    uint32_t arg_bytes;       ///< bytes of its scalar arguments
    uint32_t registers;       ///< registers a thread
    uint64_t reserved;        ///< 0
} spoc_be_kernel_info;

/// One argument of a launch.
typedef struct spoc_be_arg {
    uint32_t index;   ///< parameter index
    uint32_t kind;    ///< `SPOC_BE_PARAM_BUFFER`, `_SCALAR` or `_LOCAL`
    uint32_t access;  ///< `SPOC_BE_ACCESS_*`, what the launch does to a buffer; UNKNOWN counts as
                      ///< READ_WRITE
    uint32_t reserved_0;  ///< 0
    spoc_be_buffer buffer;
    uint64_t offset;   ///< bytes into `buffer` (cap ARG_OFFSET)
    const void* data;  ///< scalar bytes, copied before `launch` returns
    uint64_t bytes;    ///< scalar or local size; for a buffer the bytes shown, 0: to its end (which
                       ///< is then no more than `max_binding`)
} spoc_be_arg;

/// A launch. `args` are sorted by index without a gap.
typedef struct spoc_be_launch {
    uint32_t size;
    uint32_t flags;  ///< `SPOC_BE_WAIT`
    spoc_be_kernel kernel;
    uint32_t grid[3];       ///< blocks in x, y, z; at least 1 each
    uint32_t block[3];      ///< threads in x, y, z; at least 1 each
    uint32_t shared_bytes;  ///< dynamic shared memory (cap DYNAMIC_SHARED)
    uint32_t arg_count;
    const spoc_be_arg* args;
    const spoc_be_ext* ext;
    uint64_t tag;  ///< comes back in `spoc_be_error.tag` when this launch fails later and the
                   ///< driver tells which one it was
} spoc_be_launch;

/// `peer_query` answers (bit mask).
#define SPOC_BE_PEER_COPY UINT32_C(1)    ///< copy(PEER) works
#define SPOC_BE_PEER_DIRECT UINT32_C(2)  ///< without a bounce through host memory
#define SPOC_BE_PEER_EVENTS UINT32_C(4)  ///< `stream_wait` works across the two devices

/* ---- Host services ---- */

/// Log levels of `spoc_be_host.log`.
#define SPOC_BE_LOG_ERROR UINT32_C(0)
#define SPOC_BE_LOG_WARN UINT32_C(1)
#define SPOC_BE_LOG_INFO UINT32_C(2)
#define SPOC_BE_LOG_DEBUG UINT32_C(3)
#define SPOC_BE_LOG_TRACE UINT32_C(4)

/// Values of `*spoc_be_host.process_state`. A plugin's own threads read the word between pieces of
/// work and stop when it is not RUNNING. FORK_CHILD is 0 on purpose: the host keeps the word in a
/// page that the kernel wipes in a forked child, so that the child reads FORK_CHILD even when no
/// fork handler ran. QUIESCING is kept for a host that ends one backend while the process goes on;
/// hosts of this version do not set it.
#define SPOC_BE_PROCESS_FORK_CHILD UINT32_C(0)
#define SPOC_BE_PROCESS_RUNNING UINT32_C(1)
#define SPOC_BE_PROCESS_QUIESCING UINT32_C(2)
#define SPOC_BE_PROCESS_EXITING UINT32_C(3)

/// Reasons of `quiesce`: the same numbers. Hosts of this version give EXIT only.
#define SPOC_BE_QUIESCE_FORK_CHILD SPOC_BE_PROCESS_FORK_CHILD
#define SPOC_BE_QUIESCE_SHUTDOWN SPOC_BE_PROCESS_QUIESCING
#define SPOC_BE_QUIESCE_EXIT SPOC_BE_PROCESS_EXITING

/// What the host offers a plugin. Handed to `probe` and `open`, which may keep it: valid, with
/// everything it points to, until the process ends. A host of major version 1 sets every member up
/// to `process_state`, except that the two for tracing may be null; those, and members added later,
/// are read only after `SPOC_HOST_HAS`. Every function takes `ctx` first, may be called from any
/// thread, and must not be called after `quiesce` returned, except `mem` to free.
typedef struct spoc_be_host {
    spoc_be_header header;
    void* ctx;  ///< first argument of every function below

    /// Writes one log line. `text` need not end in NUL; `length` is in bytes. Level:
    /// `SPOC_BE_LOG_*`. May block briefly.
    void (*log)(void* ctx, uint32_t level, const char* text, uint64_t length);

    /// Allocates, resizes or frees ordinary host memory, counted so that leaks can be found.
    /// `block` null allocates; `bytes` 0 frees and returns null; otherwise resizes, contents kept.
    /// `alignment` is a power of two; a resize keeps the block's first alignment. Returns null when
    /// there is no memory, and the old block is then untouched. Freeing null does nothing.
    void* (*mem)(void* ctx, void* block, uint64_t bytes, uint64_t alignment);

    /// Value of a setting such as "native.threads", or null when it is not set or not known. The
    /// host reads the environment; a plugin never does. docs/environment.md lists the keys. The
    /// text lives until the process ends.
    const char* (*config)(void* ctx, const char* key);

    /// Opens a vendor's library by the first of `names` (run-time names such as "libcuda.so.1",
    /// ended by null) that can be opened. A library that is already in the process under one of the
    /// names comes before any that is not. Returns its handle, or null with `error` filled: status
    /// UNAVAILABLE, reason DRIVER_NOT_FOUND (or NO_PERMISSION) and the system loader's own words
    /// for each name tried. `out_path` may be null; it receives the file's path, cut to
    /// `path_capacity` bytes. The library stays loaded for the life of the process.
    void* (*vendor_open)(void* ctx, const char* const* names, char* out_path,
                         uint64_t path_capacity, spoc_be_error* error);

    /// Address of `symbol` in a library from `vendor_open`, or null when it has none.
    void* (*vendor_sym)(void* ctx, void* library, const char* symbol);

    /// Gives a handle from `vendor_open` back. The library stays mapped: drivers keep threads and
    /// exit handlers.
    void (*vendor_close)(void* ctx, void* library);

    /// Marks the begin and end of a span in the host's trace; spans of one thread nest. Null when
    /// the host does not trace.
    void (*trace_begin)(void* ctx, const char* name);
    void (*trace_end)(void* ctx);

    /// `SPOC_BE_PROCESS_*`. Changes at any moment; read it with an ordinary 32-bit load.
    const volatile uint32_t* process_state;

    uint64_t reserved[4];  ///< 0
} spoc_be_host;

/// Whether `host` (a `const spoc_be_host *`) reaches as far as `member` and has it set.
#define SPOC_HOST_HAS(host, member)                                                    \
    ((host)->header.size >= offsetof(spoc_be_host, member) + sizeof((host)->member) && \
     (host)->member != 0)

/* ---- The table ---- */

/// The plugin's table. Entries marked *required* must be set; *optional* ones may be null, and a
/// null entry reads as "this backend does not offer it". The host refuses a plugin whose table is
/// no multiple of 8 bytes long, that fills half of a group, whose device claims a capability
/// without the entry it needs (named at the entry; LAUNCH_ENQUEUED needs `launch`, REFLECTION
/// `kernel_params`), or whose note and table differ in name, major version or flavour. Groups:
/// `pinned_alloc` with `pinned_free`; `host_register` with `host_unregister`; `program_load`,
/// `program_destroy`, `kernel_get`, `kernel_info`, `kernel_params`, `kernel_destroy` together (a
/// copy-only plugin has none of them), and `launch` and `program_binary` only with those.
typedef struct spoc_be_table {
    spoc_be_header header;
    const char*
        name;  ///< backend name: 1 to 15 characters of [a-z0-9_], the same as in the file's name
    const char* vendor;    ///< who made the plugin
    const char* version;   ///< the plugin's own version
    const char* build_id;  ///< whatever tells two builds apart; may be empty
    uint64_t reserved[2];  ///< 0

    /* ---- life cycle ---- */

    /// 1, required, class I. Finds out whether this backend can be used, up to `level`
    /// (`SPOC_BE_PROBE_*`), and fills `report`. Returns OK when nothing stands in the way;
    /// UNAVAILABLE when something does, with the same reason in `report` and `error`. May be called
    /// again, at either level, also while the backend is open, and then disturbs nothing. PASSIVE
    /// must not initialise a driver, start a thread, or take longer than opening a library.
    int32_t (*probe)(const spoc_be_host* host, uint32_t level, spoc_be_probe_report* report,
                     spoc_be_error* error);

    /// 2, required, class I. Makes the backend usable. Idempotent; shares its state with an earlier
    /// ENUMERATE probe. `host` is kept. `ext` may be null. Errors: UNAVAILABLE with a reason;
    /// DRIVER; EXTENSION.
    int32_t (*open)(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error);

    /// 3, required, class X. Explicit shutdown after every device is closed; frees everything that
    /// an ENUMERATE probe or `open`, successful or not, left behind. `probe` and `open` may follow.
    int32_t (*close)(spoc_be_error* error);

    /// 4, required, class S. The process is leaving the state in which the backend can work:
    /// `SPOC_BE_QUIESCE_*`. Returns within a tenth of a second: the plugin tells its own threads to
    /// stop without waiting for what may be stuck, makes no driver call under EXIT and FORK_CHILD,
    /// and takes no lock that a suspended thread may hold. Under EXIT and FORK_CHILD no other entry
    /// follows. May be called more than once.
    void (*quiesce)(uint32_t reason);

    /// 5, required, class S. Looks up an optional interface by name: a structure that starts with
    /// `uint32_t size` and is at least `min_size` bytes long. It lives as long as the process.
    /// Errors: UNSUPPORTED when there is no such interface or it is shorter.
    int32_t (*get_interface)(const char* name, uint32_t min_size, const void** out,
                             spoc_be_error* error);

    /* ---- devices ---- */

    /// 6, required, class S, after `open`. Number of devices. Constant until `close`.
    int32_t (*device_count)(uint32_t* count, spoc_be_error* error);

    /// 7, required, class S, after `open`. Describes device `index`. No context is made on the
    /// device.
    int32_t (*device_info)(uint32_t index, spoc_be_device_info* info, spoc_be_error* error);

    /// 8, optional, class S, after `open`. Why device `index` answers "no" to capability `cap`.
    /// Returns OK and writes one sentence to `error->message` (and `error->status`, what a call
    /// would have returned); INVALID when the answer is not "no". `error` is not null here.
    int32_t (*cap_reason)(uint32_t index, uint32_t cap, spoc_be_error* error);

    /// 9, required, class I. Opens device `index`. `desc->ext` may be null. Opening twice without
    /// closing is not asked for. Errors: OUT_OF_MEMORY, DEVICE_LOST, DRIVER, EXTENSION.
    int32_t (*device_open)(uint32_t index, const spoc_be_device_desc* desc,
                           spoc_be_device_result* result, spoc_be_error* error);

    /// 10, required, class X. Closes a device after everything made on it was destroyed.
    int32_t (*device_close)(spoc_be_device device, spoc_be_error* error);

    /// 11, required, class S. The device's memory at this moment.
    int32_t (*device_memory)(spoc_be_device device, spoc_be_memory_info* info,
                             spoc_be_error* error);

    /* ---- buffers ---- */

    /// 12, required, class S. Makes a buffer; its contents are undefined unless it is made over
    /// host memory. Where the driver can be made to commit the memory now rather than at first use,
    /// the plugin makes it. May block. Errors: OUT_OF_MEMORY, TOO_LARGE, MISALIGNED, UNSUPPORTED
    /// (kind).
    int32_t (*buffer_create)(spoc_be_device device, const spoc_be_buffer_desc* desc,
                             spoc_be_buffer_result* result, spoc_be_error* error);

    /// 13, required, class S. Ends a buffer; work that uses it may be pending. When this returns,
    /// the device no longer touches a host range that the buffer is or was made over (HOST_RANGE,
    /// HOST_PTR): then the call waits for that work.
    int32_t (*buffer_destroy)(spoc_be_buffer buffer, spoc_be_error* error);

    /// 14, optional (cap BUFFER_TRACKED), class S. Waits for pending users of a buffer: access READ
    /// waits for writers only, WRITE and READ_WRITE for all (FULL is not given). Submits batches
    /// that use it. NOT_READY when `timeout_ns` runs out. Null: the host waits for streams instead.
    int32_t (*buffer_wait)(spoc_be_buffer buffer, uint32_t access, uint64_t timeout_ns,
                           spoc_be_error* error);

    /// 15, optional (required with cap BUFFER_HOST_PTR, and with BUFFER_UNIFIED without
    /// UNIFIED_CONCURRENT), class H. Moves bytes `offset` to `offset + bytes` of a buffer made over
    /// host memory between the sides (`SPOC_BE_HOST_*`), complete for every stream on return.
    /// ACQUIRE shows what was enqueued on `stream` before. PUBLISH and BEGIN_WRITE are called with
    /// the buffer idle on every stream, and it stays idle from BEGIN_WRITE until END_WRITE, which
    /// names the same range; one such pair is open on a buffer at a time, and bytes that the host
    /// does not write keep their contents.
    int32_t (*buffer_host_access)(spoc_be_stream stream, spoc_be_buffer buffer, uint32_t op,
                                  uint64_t offset, uint64_t bytes, spoc_be_error* error);

    /* ---- page-locked memory ---- */

    /// 16, optional (cap PINNED), class S. Allocates page-locked host memory, page-aligned whatever
    /// the driver gives. With PINNED_PORTABLE it serves every device of the backend. Errors:
    /// OUT_OF_MEMORY, TOO_LARGE (one block is above what the driver gives), UNSUPPORTED.
    int32_t (*pinned_alloc)(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                            spoc_be_hostmem_result* result, spoc_be_error* error);

    /// 17, optional (cap PINNED), class X. Frees memory from `pinned_alloc`; no work uses it any
    /// more.
    int32_t (*pinned_free)(spoc_be_hostmem hostmem, spoc_be_error* error);

    /// 18, optional (cap REGISTER), class S. Page-locks a host range of the application's. Errors:
    /// OUT_OF_MEMORY, MISALIGNED, UNSUPPORTED, DRIVER. Null where the device has BUFFER_HOST_RANGE:
    /// the host records the range itself.
    int32_t (*host_register)(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                             spoc_be_hostmem_result* result, spoc_be_error* error);

    /// 19, optional (cap REGISTER), class X. Ends a registration. On failure the handle stays
    /// valid.
    int32_t (*host_unregister)(spoc_be_hostmem hostmem, spoc_be_error* error);

    /// 20, optional (cap HOST_QUERY), class S. Whether a host range is page-locked or managed by
    /// anybody in the process: `SPOC_BE_HOST_*` mask.
    int32_t (*host_query)(spoc_be_device device, const void* host, uint64_t bytes, uint32_t* flags,
                          spoc_be_error* error);

    /* ---- streams ---- */

    /// 21, required, class S. Makes a stream: work on it runs in the order it was given. Errors:
    /// OUT_OF_MEMORY, DRIVER, EXTENSION.
    int32_t (*stream_create)(spoc_be_device device, const spoc_be_stream_desc* desc,
                             spoc_be_stream* out, spoc_be_error* error);

    /// 22, required, class X. Ends an idle stream; events recorded on it stay valid.
    int32_t (*stream_destroy)(spoc_be_stream stream, spoc_be_error* error);

    /// 23, optional (required with cap STREAM_DEFERRED), class S. Starts what is held back; does
    /// not wait.
    int32_t (*stream_flush)(spoc_be_stream stream, spoc_be_error* error);

    /// 24, required, class S. OK when the stream is idle, NOT_READY when work is pending. Submits
    /// what is held back. Errors of earlier work surface here: LAUNCH, DEVICE_LOST, DRIVER.
    int32_t (*stream_query)(spoc_be_stream stream, spoc_be_error* error);

    /// 25, required, class S. Waits until work enqueued so far is complete, at most `timeout_ns`
    /// nanoseconds: NOT_READY when it runs out. Exact for finite values only with TIMED_WAIT,
    /// otherwise one poll. Errors as `stream_query`.
    int32_t (*stream_sync)(spoc_be_stream stream, uint64_t timeout_ns, spoc_be_error* error);

    /// 26, required, class H. Later work of `stream` waits for the recording of `event` that is
    /// current at this call; an event never recorded has no effect. Does not block the host where
    /// EVENT_WAIT_DEVICE is set.
    int32_t (*stream_wait)(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error);

    /* ---- events ---- */

    /// 27, required, class S. Makes an event, not recorded yet. `flags`: `SPOC_BE_EVENT_*`.
    int32_t (*event_create)(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                            spoc_be_error* error);

    /// 28, required, class S. Ends an event; waits on it may be pending.
    int32_t (*event_destroy)(spoc_be_event event, spoc_be_error* error);

    /// 29, required, class H. Marks this point of `stream`; a later recording replaces an earlier
    /// one. Submits. Errors: UNSUPPORTED when the event has TIMING and the stream has not.
    int32_t (*event_record)(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error);

    /// 30, required, class S. OK when the current recording is complete or there is none, NOT_READY
    /// when it is pending.
    int32_t (*event_query)(spoc_be_event event, spoc_be_error* error);

    /// 31, required, class S. Waits for the current recording, like `stream_sync`. Never recorded:
    /// OK at once.
    int32_t (*event_sync)(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error);

    /// 32, optional (cap EVENT_TIMING), class S. Nanoseconds on the device from `start` to `stop`,
    /// both with TIMING and complete; negative when `stop` came first. NOT_READY when one is
    /// pending, INVALID when one was never recorded.
    int32_t (*event_elapsed)(spoc_be_event start, spoc_be_event stop, double* ns,
                             spoc_be_error* error);

    /* ---- copies ---- */

    /// 33, required, class H. Copies ranges in stream order. `*done` is set first to DONE_ALL and
    /// at return says how far the copy is; on error it says whether a part is still in flight (less
    /// than DONE_ALL), and the host then synchronises the stream before it lets go of memory.
    /// Offsets and lengths are right to the byte. Errors: UNSUPPORTED, OUT_OF_MEMORY (a driver that
    /// commits memory at first use), LAUNCH (earlier work).
    int32_t (*copy)(spoc_be_stream stream, const spoc_be_copy* copy, uint32_t* done,
                    spoc_be_error* error);

    /// 34, required, class H. Fills a range with a pattern in stream order. `*done` and errors as
    /// for `copy`.
    int32_t (*fill)(spoc_be_stream stream, const spoc_be_fill* fill, uint32_t* done,
                    spoc_be_error* error);

    /// 35, optional (cap PEER_COPY), class S. How memory moves from `src` to `dst`, both open:
    /// `SPOC_BE_PEER_*` mask, 0 not at all.
    int32_t (*peer_query)(spoc_be_device src, spoc_be_device dst, uint32_t* flags,
                          spoc_be_error* error);

    /* ---- programs and kernels ---- */

    /// 36, optional, class S. Loads a program. May take long. The plugin may add compiler options
    /// that it needs. Errors: COMPILE (log written; also for options that the compiler refuses),
    /// FORMAT, UNSUPPORTED, OUT_OF_MEMORY.
    int32_t (*program_load)(spoc_be_device device, const spoc_be_program_desc* desc,
                            spoc_be_program* out, spoc_be_error* error);

    /// 37, optional, class S. Ends a program; kernels got out of it stay valid.
    int32_t (*program_destroy)(spoc_be_program program, spoc_be_error* error);

    /// 38, optional (cap PROGRAM_BINARY), class S. Writes the device binary, at most `capacity`
    /// bytes, and its whole length to `*bytes`. `data` may be null with `capacity` 0.
    int32_t (*program_binary)(spoc_be_program program, void* data, uint64_t capacity,
                              uint64_t* bytes, spoc_be_error* error);

    /// 39, optional, class S. Gets a kernel. Declared parameters count where reflection is silent;
    /// elsewhere reflection wins. Errors: NOT_FOUND, COMPILE, UNSUPPORTED (constants, or a block
    /// that the program fixes otherwise), EXTENSION.
    int32_t (*kernel_get)(spoc_be_program program, const spoc_be_kernel_desc* desc,
                          spoc_be_kernel* out, spoc_be_error* error);

    /// 40, optional, class S. What a kernel needs and may use.
    int32_t (*kernel_info)(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error);

    /// 41, optional, class S. Writes at most `capacity` parameters in index order and their whole
    /// number to `*count`.
    int32_t (*kernel_params)(spoc_be_kernel kernel, spoc_be_param* params, uint32_t capacity,
                             uint32_t* count, spoc_be_error* error);

    /// 42, optional, class S. Ends a kernel; launches of it may be pending.
    int32_t (*kernel_destroy)(spoc_be_kernel kernel, spoc_be_error* error);

    /// 43, optional, class H on the stream; one kernel may be launched from many threads on
    /// different streams. Launches a kernel in stream order. Scalars are copied before it returns.
    /// Ranges that arguments of one launch share are only read by it. `*done` as for `copy`.
    /// Errors: UNSUPPORTED, OUT_OF_MEMORY, TOO_LARGE, LAUNCH (earlier work).
    int32_t (*launch)(spoc_be_stream stream, const spoc_be_launch* launch, uint32_t* done,
                      spoc_be_error* error);
} spoc_be_table;

/// The entries in table order: X(number, name, required). One list makes the loader's check, the
/// layout lock, and the counters of test plugins.
// clang-format off
#define SPOC_BE_ENTRY_LIST(X) \
    X(1, probe, 1) \
    X(2, open, 1) \
    X(3, close, 1) \
    X(4, quiesce, 1) \
    X(5, get_interface, 1) \
    X(6, device_count, 1) \
    X(7, device_info, 1) \
    X(8, cap_reason, 0) \
    X(9, device_open, 1) \
    X(10, device_close, 1) \
    X(11, device_memory, 1) \
    X(12, buffer_create, 1) \
    X(13, buffer_destroy, 1) \
    X(14, buffer_wait, 0) \
    X(15, buffer_host_access, 0) \
    X(16, pinned_alloc, 0) \
    X(17, pinned_free, 0) \
    X(18, host_register, 0) \
    X(19, host_unregister, 0) \
    X(20, host_query, 0) \
    X(21, stream_create, 1) \
    X(22, stream_destroy, 1) \
    X(23, stream_flush, 0) \
    X(24, stream_query, 1) \
    X(25, stream_sync, 1) \
    X(26, stream_wait, 1) \
    X(27, event_create, 1) \
    X(28, event_destroy, 1) \
    X(29, event_record, 1) \
    X(30, event_query, 1) \
    X(31, event_sync, 1) \
    X(32, event_elapsed, 0) \
    X(33, copy, 1) \
    X(34, fill, 1) \
    X(35, peer_query, 0) \
    X(36, program_load, 0) \
    X(37, program_destroy, 0) \
    X(38, program_binary, 0) \
    X(39, kernel_get, 0) \
    X(40, kernel_info, 0) \
    X(41, kernel_params, 0) \
    X(42, kernel_destroy, 0) \
    X(43, launch, 0)
// clang-format on

/* ---- Defining a plugin ---- */

/// The name of the one exported symbol, as text for `dlsym`.
#define SPOC_BE_SYMBOL "spoc_backend_v1"
/// Section, owner and type of the note that a host reads before it loads the file.
#define SPOC_BE_NOTE_SECTION ".note.spoc.plugin"
#define SPOC_BE_NOTE_OWNER "SPOC"
#define SPOC_BE_NOTE_TYPE UINT32_C(1)
#define SPOC_BE_NOTE_VERSION UINT32_C(1)

/// The note's payload. `name` and `version` end in NUL.
typedef struct spoc_be_note {
    uint32_t note_version;  ///< `SPOC_BE_NOTE_VERSION`
    uint16_t major;         ///< `SPOC_BE_ABI_MAJOR`
    uint16_t minor;         ///< `SPOC_BE_ABI_MINOR`
    uint32_t flavour;       ///< `SPOC_BE_FLAVOUR_*` mask
    char name[16];
    char version[16];
} spoc_be_note;

/// The note as it lies in the file: the ELF note header, the owner, the payload.
typedef struct spoc_be_note_section {
    uint32_t owner_size;    ///< 5: "SPOC" and its NUL
    uint32_t payload_size;  ///< `sizeof(spoc_be_note)`
    uint32_t type;          ///< `SPOC_BE_NOTE_TYPE`
    char owner[8];          ///< "SPOC", padded with zeros to a multiple of 4
    spoc_be_note payload;
} spoc_be_note_section;

/// First member of a table initialiser.
#define SPOC_BE_TABLE_HEADER                                                        \
    {                                                                               \
        SPOC_BE_MAGIC, sizeof(spoc_be_table), SPOC_BE_ABI_MAJOR, SPOC_BE_ABI_MINOR, \
            SPOC_BE_BUILD_FLAVOUR, 0, 0                                             \
    }

#if defined(__ELF__)
#define SPOC_BE_EMIT_NOTE(name_text, version_text)                                          \
    __attribute__((section(SPOC_BE_NOTE_SECTION), used,                                     \
                   aligned(4))) static const spoc_be_note_section spoc_be_plugin_note = {   \
        5,                                                                                  \
        sizeof(spoc_be_note),                                                               \
        SPOC_BE_NOTE_TYPE,                                                                  \
        SPOC_BE_NOTE_OWNER,                                                                 \
        {SPOC_BE_NOTE_VERSION, SPOC_BE_ABI_MAJOR, SPOC_BE_ABI_MINOR, SPOC_BE_BUILD_FLAVOUR, \
         name_text, version_text}};
#else
#define SPOC_BE_EMIT_NOTE(name_text, version_text)
#endif

/// Defines the plugin's note and begins the definition of its table; an initialiser follows (see
/// the top of this file). Use it once in a plugin, at namespace scope. `name_text` has 1 to 15
/// characters, `version_text` at most 15.
#define SPOC_BE_PLUGIN(name_text, version_text)                          \
    SPOC_BE_EXTERN_C SPOC_BE_EXPORT const spoc_be_table spoc_backend_v1; \
    SPOC_BE_EMIT_NOTE(name_text, version_text)                           \
    const spoc_be_table spoc_backend_v1

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SPOC_BACKEND_H */
