/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_MOCK_GATE_H
#define SPOC_MOCK_GATE_H

/// \file
/// How a test steers the recording plugin and reads what it wrote down.
///
/// The plugin `mock` implements the whole of spoc/backend.h in host memory: buffers are host
/// blocks, streams are queues of closures, kernels are functions of the test's. `mockmin` is the
/// same without the optional entries. Neither has threads of its own, and neither sleeps, except in
/// a wait under `SPOC_MOCK_WAIT_BLOCK`.
///
/// **Objects have numbers.** A test that goes through libspoc never sees a plugin's handle, so the
/// gate and the log name streams, events, buffers, blocks, programs and kernels by a number that
/// starts at 1 and is never used again, also where the handle's address is. Nought is "none".
///
/// **Threads.** Every function may be called from any thread at any time, except that the devices
/// are described, and `reset` is called, only while the backend is closed and nobody is in an
/// entry.
///
/// **Breaches.** Where the host breaks the contract (a range beyond its object, a handle that was
/// destroyed, two calls of class H at once, ...) the entry answers INVALID if it answers at all,
/// and a sentence is kept for `breach_at`.

#include <spoc/backend.h>
#include <spoc/native.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Name of the interface for `spoc_be_table.get_interface`.
#define SPOC_MOCK_GATE "test.gate"

/// Number of an entry: `spoc_mock_entry_copy`.
#define SPOC_MOCK_ENTRY(number, name, required) spoc_mock_entry_##name = (number),
enum spoc_mock_entry { SPOC_BE_ENTRY_LIST(SPOC_MOCK_ENTRY) spoc_mock_entry_end };
#undef SPOC_MOCK_ENTRY

/* ---- Settings ---- */

/// `ON_WAIT`: what a call that waits does about work that is held.
/// It runs what it waits for. When none of that can run it answers INTERNAL: a deadlock.
#define SPOC_MOCK_WAIT_RUN 0
/// It blocks until other threads have released what it waits for.
#define SPOC_MOCK_WAIT_BLOCK 1
/// It answers DRIVER, native code `SPOC_MOCK_WOULD_WAIT`, and has done nothing. A poll does not
/// wait.
#define SPOC_MOCK_WAIT_FAIL 2
#define SPOC_MOCK_WOULD_WAIT 4711

/// `DONE`: `*done` says how far the work really is; any other value is what it says, except with
/// the flag WAIT.
#define SPOC_MOCK_DONE_HONEST UINT64_C(100)

/// `REGISTER`: what `host_register` does.
#define SPOC_MOCK_REGISTER_HONEST 0   ///< refuses what overlaps a live range (DRIVER, 712)
#define SPOC_MOCK_REGISTER_LIES 1     ///< takes everything; ending what overlapped fails (713)
#define SPOC_MOCK_REGISTER_REFUSES 2  ///< UNSUPPORTED

/// `HOST_QUERY`: the answer is the truth; any other value is the answer.
#define SPOC_MOCK_QUERY_HONEST UINT64_C(100)

/// What can be set at any time: X(name, key, first value). The host's configuration may set them
/// too, as "mock.<key>" with a number, when the backend is opened.
// clang-format off
#define SPOC_MOCK_SETTING_LIST(X) \
    /* 1: work stays in its stream until it is released. 0: it runs in the call that enqueues it, \
       together with what was held before. */ \
    X(HOLD, hold, 0) \
    X(ON_WAIT, on_wait, SPOC_MOCK_WAIT_RUN) \
    X(DONE, done, SPOC_MOCK_DONE_HONEST) \
    /* 0: buffer_destroy frees at once, and held work that uses the buffer is a breach when it runs. \
       1: what work needs is kept, as the contract asks of a real plugin. */ \
    X(KEEPS_BUFFERS, keeps_buffers, 0) \
    /* 1: the next object of a kind gets the address of the one of that kind destroyed last. 0: no \
       address is used twice. */ \
    X(RECYCLES, recycles, 0) \
    /* 0: copies of memory that is not page-locked are complete on return. 1: they are held too. */ \
    X(PAGEABLE_LATE, pageable_late, 1) \
    /* Page-locked bytes in all, of allocations and registrations. */ \
    X(PINNED_BUDGET, pinned_budget, SPOC_BE_NO_LIMIT) \
    X(REGISTER, register, SPOC_MOCK_REGISTER_HONEST) \
    X(HOST_QUERY, host_query, SPOC_MOCK_QUERY_HONEST) \
    /* What peer_query answers for two different devices that set_peer does not name. */ \
    X(PEER, peer, SPOC_BE_PEER_COPY | SPOC_BE_PEER_DIRECT | SPOC_BE_PEER_EVENTS) \
    /* What kernels say of themselves when they are got from now on, SPOC_BE_REFLECTION_*. */ \
    X(REFLECTION, reflection, SPOC_BE_REFLECTION_FULL) \
    /* Width of the only block (n, 1, 1) that kernels got from now on can be launched with; 0 any. */ \
    X(FIXED_BLOCK, fixed_block, 0) \
    /* 0: a recording's time is a microsecond for each operation that ran. 1: it is the clock's. */ \
    X(CLOCK, clock, 0) \
    /* 1: copy, fill, launch, stream_query and stream_sync take no lock, log nothing and know no \
       faults, so that ThreadSanitizer sees the host's own order alone. Only with HOLD 0 and nothing \
       held. */ \
    X(QUIET, quiet, 0)
// clang-format on

#define SPOC_MOCK_SETTING(name, key, first) SPOC_MOCK_##name,
enum spoc_mock_setting { SPOC_MOCK_SETTING_LIST(SPOC_MOCK_SETTING) SPOC_MOCK_SETTING_COUNT };
#undef SPOC_MOCK_SETTING

/// `set_capability`.
#define SPOC_MOCK_NO UINT32_C(0)
#define SPOC_MOCK_YES UINT32_C(1)
#define SPOC_MOCK_UNKNOWN UINT32_C(2)

/* ---- Faults ---- */

/// `spoc_mock_fault.flags`: `launch` works, and the work fails when it runs; the next call on the
/// stream that notices says LAUNCH.
#define SPOC_MOCK_FAULT_LATE UINT32_C(1)
/// `spoc_mock_fault.flags`: `done` below is what `*done` says. Otherwise it is the truth.
#define SPOC_MOCK_FAULT_DONE UINT32_C(2)
/// `spoc_mock_fault.times`: for ever.
#define SPOC_MOCK_ALWAYS UINT64_MAX

/// Calls of an entry that fail. DEVICE_LOST loses the device of the call for good. Entries that end
/// an object end it all the same, except `host_unregister`. A fault with status OK or NOT_READY is
/// answered like any other, and nothing is done.
typedef struct spoc_mock_fault {
    uint32_t size;        ///< of this structure
    uint32_t entry;       ///< `spoc_mock_entry_*`
    int32_t status;       ///< what is answered
    uint32_t flags;       ///< `SPOC_MOCK_FAULT_*`
    uint64_t skip;        ///< calls that work first
    uint64_t times;       ///< calls that then fail; 0 counts as 1
    uint32_t reason;      ///< `SPOC_BE_REASON_*`
    uint32_t done;        ///< with FAULT_DONE
    uint64_t ranges;      ///< of a copy: its first ranges, which are enqueued all the same
    int64_t native_code;  ///< 0: 999
    uint64_t asked;
    uint64_t limit;
    const char* message;  ///< null: one of the plugin's; copied
} spoc_mock_fault;

/* ---- The log ---- */

/// `spoc_mock_call.status` while the call has not returned.
#define SPOC_MOCK_IN_PROGRESS INT32_MIN

/// One call, or one further range of a copy. What the entry has no use for is 0.
typedef struct spoc_mock_call {
    uint32_t size;    ///< of this structure, set by the caller of `call_at`
    uint32_t entry;   ///< `spoc_mock_entry_*`
    uint64_t number;  ///< of the call, from 1; its ranges share it
    int32_t status;   ///< what was answered
    uint32_t device;  ///< index; all-ones: none
    uint32_t kind;    ///< of a copy, a buffer, a host access, a probe's level, a capability
    uint32_t flags;
    uint32_t range;   ///< of a copy: which of its ranges this is
    uint32_t count;   ///< ranges of a copy, arguments of a launch
    uint64_t stream;  ///< made, ended or used; of `device_open`: the default stream
    uint64_t event;
    uint64_t other_event;  ///< `stop` of event_elapsed
    uint64_t dst;          ///< buffer made, ended, written or asked about
    uint64_t dst_offset;
    uint64_t src;  ///< buffer read
    uint64_t src_offset;
    uint64_t bytes;
    const void* host;  ///< host memory named in the call, or given by it
    uint64_t hostmem;  ///< block made, ended or named in a range
    uint64_t host_offset;
    uint64_t timeout_ns;
    uint32_t pattern;  ///< of a fill
    uint32_t access;   ///< of buffer_wait
    uint32_t done;     ///< what `*done` said
    int32_t priority;  ///< of a stream
    uint64_t program;
    uint64_t kernel;
    uint64_t format;  ///< of a program
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t shared_bytes;
    uint32_t other_device;  ///< `dst` of peer_query, device of a PEER copy's source; else 0
    uint64_t tag;           ///< of a launch
} spoc_mock_call;

/// One argument of a launch.
typedef struct spoc_mock_arg {
    uint32_t index;
    uint32_t kind;
    uint32_t access;
    uint32_t reserved;  ///< 0
    uint64_t buffer;
    uint64_t offset;
    uint64_t bytes;
    unsigned char scalar[16];  ///< first bytes of a scalar
} spoc_mock_arg;

/// Kinds of objects for `alive`.
#define SPOC_MOCK_DEVICES UINT32_C(0)  ///< open ones
#define SPOC_MOCK_BUFFERS UINT32_C(1)
#define SPOC_MOCK_HOSTMEMS UINT32_C(2)
#define SPOC_MOCK_STREAMS UINT32_C(3)  ///< default streams aside
#define SPOC_MOCK_EVENTS UINT32_C(4)
#define SPOC_MOCK_PROGRAMS UINT32_C(5)
#define SPOC_MOCK_KERNELS UINT32_C(6)

/* ---- Programs ---- */

/// First word of the data of a program in any format but NATIVE_SYMBOL; the names of the kernels
/// that it holds follow, between white space. A source text that begins otherwise does not compile,
/// and anything else is malformed. `program_binary` gives a text of the same form.
#define SPOC_MOCK_PROGRAM "mock_program"

/// The interface "test.gate". The same module also has "native.kernels" (spoc/native.h).
typedef struct spoc_mock_gate {
    uint32_t size;      ///< of this structure
    uint32_t reserved;  ///< 0

    /// Everything as it was when the file was loaded: one device, first settings, no faults, no
    /// kernels, an empty log. Held work is dropped.
    void (*reset)(void);

    /* ---- description ---- */

    /// How many devices there are from the next opening on. New ones are described as by
    /// `describe` with kind DISCRETE.
    void (*set_device_count)(uint32_t count);
    /// The description of a device, to be changed in place until the backend is opened.
    spoc_be_device_info* (*device)(uint32_t index);
    /// Describes a device afresh as one of `SPOC_BE_KIND_*`: DISCRETE has nearly every capability;
    /// INTEGRATED has SHARED_MEMORY, BUFFER_HOST_PTR and BUFFER_UNIFIED besides; CPU has
    /// BUFFER_HOST_RANGE and SHARED_MEMORY; UNKNOWN is DISCRETE by another name.
    void (*describe)(uint32_t index, uint32_t kind);
    /// `answer`: `SPOC_MOCK_YES`, NO or UNKNOWN.
    void (*set_capability)(uint32_t index, uint32_t capability, uint32_t answer);
    /// What `peer_query` answers for this pair, instead of the setting PEER.
    void (*set_peer)(uint32_t src, uint32_t dst, uint32_t flags);
    /// What probes report; with a reason they fail. Null: as at first.
    void (*set_report)(const spoc_be_probe_report* report);
    void (*set)(uint32_t setting, uint64_t value);
    uint64_t (*get)(uint32_t setting);

    /* ---- work ---- */

    /// Operations held in a stream, or in all for 0. Copies, fills, launches, recordings and waits
    /// for events are one each.
    uint64_t (*pending)(uint64_t stream);
    /// Runs at most `most` operations of a stream, or of all for 0 in the order in which they were
    /// enqueued, on the calling thread. Returns how many ran; less than `most` when the others wait
    /// for events or for the default stream, or were not submitted.
    uint64_t (*release)(uint64_t stream, uint64_t most);
    /// Returns once at least `count` threads block in waits under WAIT_BLOCK.
    void (*await_waiters)(uint32_t count);
    /// Number of a stream.
    uint64_t (*stream_number)(spoc_be_stream stream);

    /* ---- faults ---- */

    void (*fail)(const spoc_mock_fault* fault);
    void (*forget_faults)(void);
    /// Loses a device that is open: every later call on it but those that end objects is
    /// DEVICE_LOST, and its work never runs.
    void (*lose)(uint32_t index);

    /* ---- what happened ---- */

    /// Called at the beginning of every entry, outside of every lock; null: nothing is. Set it
    /// while nobody is in an entry.
    void (*set_hook)(void (*hook)(void* ctx, uint32_t entry), void* ctx);
    /// Calls of an entry since the log was forgotten.
    uint64_t (*calls)(uint32_t entry);
    /// Records in the log.
    uint64_t (*record_count)(void);
    /// Record `index`; 1, or 0 when there is none.
    int32_t (*record_at)(uint64_t index, spoc_mock_call* out);
    /// Arguments of the launch with that call number, at most `capacity`; returns how many there
    /// are.
    uint32_t (*args)(uint64_t number, spoc_mock_arg* out, uint32_t capacity);
    /// Empties the log and the list of breaches.
    void (*forget)(void);
    /// Objects of a kind that have not ended, `SPOC_MOCK_*`.
    uint64_t (*alive)(uint32_t kind);
    /// Objects that had not ended when the backend was closed last.
    uint64_t (*left_at_close)(void);
    /// Whether an enumeration or an opening was tried and no `close` came after it.
    int32_t (*held_open)(void);
    uint64_t (*breach_count)(void);
    /// Writes a breach's sentence; 1, or 0 when there is none.
    int32_t (*breach_at)(uint64_t index, char* out, uint64_t capacity);

    /* ---- kernels ---- */

    /// Adds a kernel for programs loaded from now on; replaces one of its name. Both stay the
    /// caller's and live until `reset`. The function must not call the gate or SPOC.
    void (*add_kernel)(const char* name, const spoc_native_kernel* kernel);
} spoc_mock_gate;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SPOC_MOCK_GATE_H */
