/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// A small, well-behaved backend in host memory that copies and launches nothing, and, by one macro
/// each, its variants that misbehave in one way (variants.h, meson.build). Whatever is enqueued
/// here is complete when the entry returns.
///
/// Unlike a real plugin it reads the environment, so that a test can ask for a fault and see what
/// was called: FIXTURE_LOG names a file that gets one line "NAME EVENT" for the load, every probe
/// and every opening.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <spoc/backend.h>

#include "variants.h"

#ifndef DEVICE_COUNT
#define DEVICE_COUNT UINT32_C(1)
#endif
#ifndef MEMORY_TOTAL
#define MEMORY_TOTAL (UINT64_C(4) << 30)
#endif
#ifndef MAX_ALLOC
#define MAX_ALLOC MEMORY_TOTAL
#endif
#ifndef PAGEABLE_MAX
#define PAGEABLE_MAX SPOC_BE_NO_LIMIT
#endif

struct spoc_be_stream_s {
    spoc_be_device device;
};

struct spoc_be_device_s {
    struct spoc_be_stream_s default_stream;
    _Atomic uint64_t used;
};

struct spoc_be_buffer_s {
    spoc_be_device device;
    unsigned char* bytes;
    uint64_t size;
};

struct spoc_be_hostmem_s {
    void* owned;
};

struct spoc_be_event_s {
    _Atomic int64_t recorded_ns;
};

static struct spoc_be_device_s devices[DEVICE_COUNT];

static const spoc_be_table* table(void);

/* What every entry needs. */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/// Writes as much of `record` as the caller has room for. Both start with a 32-bit size; the
/// caller's is kept.
static void deliver(void* out, const void* record, size_t record_size) {
    uint32_t room = 0;
    memcpy(&room, out, sizeof room);
    const size_t kept = (size_t)least(room, record_size);
    if (kept > sizeof room) {
        memcpy((char*)out + sizeof room, (const char*)record + sizeof room, kept - sizeof room);
    }
}

static int32_t fail_for_reason(spoc_be_error* error, int32_t status, uint32_t reason,
                               const char* message) {
    if (error != NULL) {
        spoc_be_error record = {.status = status, .reason = reason};
        (void)snprintf(record.message, sizeof record.message, "%s", message);
        deliver(error, &record, sizeof record);
    }
    return status;
}

static int32_t fail(spoc_be_error* error, int32_t status, const char* message) {
    return fail_for_reason(error, status, SPOC_BE_REASON_NONE, message);
}

static void record_event(const char* event) {
    const char* path = getenv("FIXTURE_LOG");
    const int file =
        path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        return;
    }
    char line[64];
    const int length = snprintf(line, sizeof line, "%s %s\n", table()->name, event);
    if (write(file, line, (size_t)length) != length) {
        abort();
    }
    close(file);
}

static int64_t now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Life cycle. */

#include "on_probe.h"

static int32_t entry_probe(const spoc_be_host* host, uint32_t level, spoc_be_probe_report* report,
                           spoc_be_error* error) {
    record_event(level == SPOC_BE_PROBE_PASSIVE ? "probe passive" : "probe enumerate");
    spoc_be_probe_report found = {
        .level = level,
        .device_count = level == SPOC_BE_PROBE_PASSIVE ? SPOC_BE_UNKNOWN_32 : DEVICE_COUNT,
        .driver_version = {1, 2, 3, SPOC_BE_UNKNOWN_32},
        .driver_minimum = {1, 0, 0, SPOC_BE_UNKNOWN_32},
        .driver_name = "fixture driver"};
    spoc_be_error failure = {.size = sizeof failure};
    const probe_call call = {host, level, &found, &failure};
    const int32_t status = on_probe(&call);
    if (status < 0) {
        found.reason = failure.reason;
        (void)snprintf(found.message, sizeof found.message, "%s", failure.message);
        if (error != NULL) {
            deliver(error, &failure, sizeof failure);
        }
    }
    deliver(report, &found, sizeof found);
    return status;
}

static int32_t entry_open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    (void)host;
    (void)ext;
    (void)error;
    record_event("open");
    return SPOC_BE_OK;
}

static int32_t entry_close(spoc_be_error* error) {
    (void)error;
    record_event("close");
    return SPOC_BE_OK;
}

static void entry_quiesce(uint32_t reason) { (void)reason; }

static int32_t entry_get_interface(const char* name, uint32_t min_size, const void** out,
                                   spoc_be_error* error) {
    (void)name;
    (void)min_size;
    (void)out;
    return fail(error, SPOC_BE_UNSUPPORTED, "The fixture has no interfaces.");
}

/* Devices. */

static uint64_t bit(uint32_t capability) { return UINT64_C(1) << capability % 64; }

/// What the entries that are set allow, so that a variant without an entry is still consistent.
static void fill_capabilities(spoc_be_device_info* info) {
    const spoc_be_table* entries = table();
    info->caps_known[0] = bit(SPOC_BE_CAP_PEER_COPY + 1) - 1;
    info->caps_known[1] = bit(SPOC_BE_CAP_TIMED_WAIT + 1) - 1;
    info->caps_known[2] = bit(SPOC_BE_CAP_SUBGROUPS + 1) - 1;
    info->caps[0] = bit(SPOC_BE_CAP_MEMORY_FREE) | bit(SPOC_BE_CAP_COPY_BATCH);
    info->caps[0] |= entries->buffer_wait != NULL ? bit(SPOC_BE_CAP_BUFFER_TRACKED) : 0;
    info->caps[0] |= entries->peer_query != NULL ? bit(SPOC_BE_CAP_PEER_COPY) : 0;
    info->caps[0] |= entries->pinned_alloc != NULL
                         ? bit(SPOC_BE_CAP_PINNED) | bit(SPOC_BE_CAP_PINNED_PORTABLE)
                         : 0;
    info->caps[0] |= entries->host_register != NULL
                         ? bit(SPOC_BE_CAP_REGISTER) | bit(SPOC_BE_CAP_REGISTER_READ_ONLY)
                         : 0;
    info->caps[1] = bit(SPOC_BE_CAP_EVENT_WAIT_DEVICE) | bit(SPOC_BE_CAP_TIMED_WAIT);
    info->caps[1] |= entries->event_elapsed != NULL ? bit(SPOC_BE_CAP_EVENT_TIMING) : 0;
    claim_capabilities(info);
}

static void fill_limits(spoc_be_device_info* info) {
    info->memory_total = MEMORY_TOTAL;
    info->max_alloc = MAX_ALLOC;
    info->max_binding = 0;
    info->max_pinned = SPOC_BE_UNKNOWN_64;
    info->pageable_max = PAGEABLE_MAX;
    info->inline_write = SPOC_BE_NO_LIMIT;
    info->host_ptr_align = SPOC_BE_UNKNOWN_32;
    info->register_align = 1;
    info->arg_offset_align = SPOC_BE_UNKNOWN_32;
    info->inline_align = 1;
    info->copy_align = 1;
    info->compute_units = SPOC_BE_UNKNOWN_32;
    info->clock_khz = SPOC_BE_UNKNOWN_32;
    info->subgroup = SPOC_BE_UNKNOWN_32;
    info->queues = 1;
    info->copy_engines = SPOC_BE_UNKNOWN_32;
}

static int32_t entry_device_count(uint32_t* count, spoc_be_error* error) {
    (void)error;
    *count = DEVICE_COUNT;
    return SPOC_BE_OK;
}

static int32_t entry_device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
#ifdef SECOND_DEVICE_FAILS
    if (index == 1) {
        return fail(error, SPOC_BE_DRIVER, "The fixture cannot describe its second device.");
    }
#endif
    (void)error;
    spoc_be_device_info found = {.index = index,
                                 .kind = SPOC_BE_KIND_OTHER,
                                 .vendor = "SPOC",
                                 .driver = "fixture driver 1.2.3",
                                 .framework = "Fixture",
                                 .vendor_id = SPOC_BE_UNKNOWN_32,
                                 .device_id = SPOC_BE_UNKNOWN_32,
                                 .driver_id = SPOC_BE_UNKNOWN_32,
                                 .numa_node = SPOC_BE_NUMA_UNKNOWN,
                                 .compute_major = SPOC_BE_UNKNOWN_32,
                                 .compute_minor = SPOC_BE_UNKNOWN_32};
    (void)snprintf(found.name, sizeof found.name, "Fixture device %u", index);
    identify(&found);
    fill_capabilities(&found);
    fill_limits(&found);
    deliver(info, &found, sizeof found);
    return SPOC_BE_OK;
}

static int32_t entry_cap_reason(uint32_t index, uint32_t capability, spoc_be_error* error) {
    (void)index;
    (void)capability;
    (void)fail(error, SPOC_BE_UNSUPPORTED, "The fixture only copies.");
    return SPOC_BE_OK;
}

static int32_t entry_device_open(uint32_t index, const spoc_be_device_desc* desc,
                                 spoc_be_device_result* result, spoc_be_error* error) {
    (void)desc;
    (void)error;
    record_event("device open");
#ifdef ON_DEVICE_OPEN
    ON_DEVICE_OPEN();
#endif
    spoc_be_device device = &devices[index];
    device->default_stream.device = device;
    const spoc_be_device_result made = {.device = device,
                                        .default_stream = &device->default_stream};
    deliver(result, &made, sizeof made);
    return SPOC_BE_OK;
}

static int32_t entry_device_close(spoc_be_device device, spoc_be_error* error) {
    (void)error;
    record_event("device close");
    /* Whatever is still counted here is a buffer that the host forgot. */
    if (atomic_load(&device->used) != 0) {
        record_event("leaked buffers");
    }
    return SPOC_BE_OK;
}

static int32_t entry_device_memory(spoc_be_device device, spoc_be_memory_info* info,
                                   spoc_be_error* error) {
    (void)error;
    const spoc_be_memory_info now = {.total = MEMORY_TOTAL,
                                     .free = MEMORY_TOTAL - atomic_load(&device->used),
                                     .pinned_budget = SPOC_BE_UNKNOWN_64};
    deliver(info, &now, sizeof now);
    return SPOC_BE_OK;
}

/* Memory. */

/// Takes `bytes` out of the device's memory; false when there are not so many left.
static bool reserve(spoc_be_device device, uint64_t bytes) {
    uint64_t used = atomic_load(&device->used);
    do {
        if (bytes > MEMORY_TOTAL - used) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&device->used, &used, used + bytes));
    return true;
}

static int32_t entry_buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                                   spoc_be_buffer_result* result, spoc_be_error* error) {
    if (desc->kind != SPOC_BE_BUFFER_DEVICE) {
        return fail(error, SPOC_BE_UNSUPPORTED, "The fixture makes device buffers only.");
    }
    if (!reserve(device, desc->bytes)) {
        return fail(error, SPOC_BE_OUT_OF_MEMORY, "The fixture's device memory is exhausted.");
    }
    spoc_be_buffer buffer = malloc(sizeof *buffer);
    unsigned char* bytes = malloc((size_t)desc->bytes);
    if (buffer == NULL || bytes == NULL) {
        free(buffer);
        free(bytes);
        atomic_fetch_sub(&device->used, desc->bytes);
        return fail(error, SPOC_BE_OUT_OF_MEMORY, "The fixture finds no memory for a buffer.");
    }
    *buffer = (struct spoc_be_buffer_s){device, bytes, desc->bytes};
    const spoc_be_buffer_result made = {.buffer = buffer, .allocated = desc->bytes};
    deliver(result, &made, sizeof made);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the caller has it now, by way of memcpy.
    return SPOC_BE_OK;
}

static int32_t entry_buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error) {
    (void)error;
    atomic_fetch_sub(&buffer->device->used, buffer->size);
    free(buffer->bytes);
    free(buffer);
    return SPOC_BE_OK;
}

static int32_t entry_buffer_wait(spoc_be_buffer buffer, uint32_t access, uint64_t timeout_ns,
                                 spoc_be_error* error) {
    (void)buffer;
    (void)access;
    (void)timeout_ns;
    (void)error;
    return SPOC_BE_OK;
}

/// A handle for host memory at `host`; `owned` is freed with it.
static int32_t make_hostmem(const spoc_be_hostmem_desc* desc, void* host, void* owned,
                            spoc_be_hostmem_result* result, spoc_be_error* error) {
    spoc_be_hostmem hostmem = malloc(sizeof *hostmem);
    if (hostmem == NULL) {
        free(owned);
        return fail(error, SPOC_BE_HOST_MEMORY, "The fixture finds no memory for a handle.");
    }
    hostmem->owned = owned;
    const spoc_be_hostmem_result made = {.hostmem = hostmem, .host = host, .bytes = desc->bytes};
    deliver(result, &made, sizeof made);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the caller has it now, by way of memcpy.
    return SPOC_BE_OK;
}

static int32_t entry_pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                                  spoc_be_hostmem_result* result, spoc_be_error* error) {
    (void)device;
    void* block = NULL;
    if (posix_memalign(&block, 4096, (size_t)desc->bytes) != 0) {
        return fail(error, SPOC_BE_OUT_OF_MEMORY, "The fixture finds no page-locked memory.");
    }
    return make_hostmem(desc, block, block, result, error);
}

static int32_t entry_host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                                   spoc_be_hostmem_result* result, spoc_be_error* error) {
    (void)device;
    return make_hostmem(desc, desc->host, NULL, result, error);
}

static int32_t end_hostmem(spoc_be_hostmem hostmem, spoc_be_error* error) {
    (void)error;
    free(hostmem->owned);
    free(hostmem);
    return SPOC_BE_OK;
}

/* Streams and events: nothing is ever pending. */

static int32_t entry_stream_create(spoc_be_device device, const spoc_be_stream_desc* desc,
                                   spoc_be_stream* out, spoc_be_error* error) {
    (void)desc;
    spoc_be_stream stream = malloc(sizeof *stream);
    if (stream == NULL) {
        return fail(error, SPOC_BE_HOST_MEMORY, "The fixture finds no memory for a stream.");
    }
    stream->device = device;
    *out = stream;
    return SPOC_BE_OK;
}

static int32_t entry_stream_destroy(spoc_be_stream stream, spoc_be_error* error) {
    (void)error;
    free(stream);
    return SPOC_BE_OK;
}

static int32_t entry_stream_query(spoc_be_stream stream, spoc_be_error* error) {
    (void)stream;
    (void)error;
    return SPOC_BE_OK;
}

static int32_t entry_stream_sync(spoc_be_stream stream, uint64_t timeout_ns, spoc_be_error* error) {
    (void)timeout_ns;
    return entry_stream_query(stream, error);
}

static int32_t entry_stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error) {
    (void)event;
    return entry_stream_query(stream, error);
}

static int32_t entry_event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                                  spoc_be_error* error) {
    (void)device;
    (void)flags;
    spoc_be_event event = calloc(1, sizeof *event);
    if (event == NULL) {
        return fail(error, SPOC_BE_HOST_MEMORY, "The fixture finds no memory for an event.");
    }
    *out = event;
    return SPOC_BE_OK;
}

static int32_t entry_event_destroy(spoc_be_event event, spoc_be_error* error) {
    (void)error;
    free(event);
    return SPOC_BE_OK;
}

static int32_t entry_event_record(spoc_be_event event, spoc_be_stream stream,
                                  spoc_be_error* error) {
    (void)stream;
    (void)error;
    atomic_store(&event->recorded_ns, now_ns());
    return SPOC_BE_OK;
}

static int32_t entry_event_query(spoc_be_event event, spoc_be_error* error) {
    (void)event;
    (void)error;
    return SPOC_BE_OK;
}

static int32_t entry_event_sync(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error) {
    (void)timeout_ns;
    return entry_event_query(event, error);
}

static int32_t entry_event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns,
                                   spoc_be_error* error) {
    const int64_t from = atomic_load(&start->recorded_ns);
    const int64_t to = atomic_load(&stop->recorded_ns);
    if (from == 0 || to == 0) {
        return fail(error, SPOC_BE_INVALID, "An event was never recorded.");
    }
    *ns = (double)(to - from);
    return SPOC_BE_OK;
}

/* Copies. */

static void move_range(uint32_t kind, const spoc_be_range* range) {
    const size_t bytes = (size_t)range->bytes;
    if (kind == SPOC_BE_COPY_H2D) {
        memcpy(range->dst->bytes + range->dst_offset, range->host, bytes - DROPPED_BYTES);
    } else if (kind == SPOC_BE_COPY_D2H) {
        memcpy(range->host, range->src->bytes + range->src_offset, bytes);
        spoil(range->host, bytes);
    } else {
        memmove(range->dst->bytes + range->dst_offset, range->src->bytes + range->src_offset,
                bytes);
    }
}

static int32_t entry_copy(spoc_be_stream stream, const spoc_be_copy* copy, uint32_t* done,
                          spoc_be_error* error) {
    (void)stream;
    *done = SPOC_BE_DONE_ALL;
    if (copy_fails()) {
        return fail(error, FAILING_COPY, "The fixture's copy fails.");
    }
    for (uint32_t i = 0; i < copy->count; ++i) {
        const spoc_be_range* range = &copy->ranges[i];
        if (PAGEABLE_MAX == 0 && copy->kind <= SPOC_BE_COPY_D2H && range->hostmem == NULL) {
            return fail(error, SPOC_BE_INVALID,
                        "Assertion failed: pageable_max is 0, and the host gave memory that is not "
                        "page-locked.");
        }
        move_range(copy->kind, range);
    }
    return SPOC_BE_OK;
}

static int32_t entry_fill(spoc_be_stream stream, const spoc_be_fill* fill, uint32_t* done,
                          spoc_be_error* error) {
    (void)stream;
    (void)error;
    *done = SPOC_BE_DONE_ALL;
    unsigned char* to = fill->buffer->bytes + fill->offset;
    for (uint64_t i = 0; i < fill->bytes; ++i) {
        to[i] = (unsigned char)(fill->pattern >> 8 * (i % fill->pattern_size));
    }
    return SPOC_BE_OK;
}

static int32_t entry_peer_query(spoc_be_device src, spoc_be_device dst, uint32_t* flags,
                                spoc_be_error* error) {
    (void)src;
    (void)dst;
    (void)error;
    *flags = SPOC_BE_PEER_COPY | SPOC_BE_PEER_DIRECT | SPOC_BE_PEER_EVENTS;
    return SPOC_BE_OK;
}

/* The table. */

#ifndef HAS_OPTIONAL_ENTRIES
#define HAS_OPTIONAL_ENTRIES 1
#endif
/* Written out as a choice, so that the compiler sees every entry used. */
#define OPTIONAL(entry) (HAS_OPTIONAL_ENTRIES ? (entry) : NULL)

#ifndef VARIABLE_TABLE
#define DEFINE_TABLE SPOC_BE_PLUGIN(NOTE_NAME, "1.0")
#else
#define DEFINE_TABLE static const spoc_be_table built_table
#endif

DEFINE_TABLE = {
    .header = SPOC_BE_TABLE_HEADER,
    .name = PLUGIN_NAME,
    .vendor = "SPOC",
    .version = "1.0",
    .build_id = "",
    .probe = entry_probe,
    .open = entry_open,
    .close = entry_close,
    .quiesce = entry_quiesce,
    .get_interface = entry_get_interface,
    .device_count = entry_device_count,
    .device_info = entry_device_info,
    .cap_reason = OPTIONAL(entry_cap_reason),
    .device_open = entry_device_open,
    .device_close = entry_device_close,
    .device_memory = entry_device_memory,
    .buffer_create = entry_buffer_create,
    .buffer_destroy = entry_buffer_destroy,
    .buffer_wait = OPTIONAL(entry_buffer_wait),
    .pinned_alloc = OPTIONAL(entry_pinned_alloc),
    .pinned_free = OPTIONAL(end_hostmem),
    .host_register = OPTIONAL(entry_host_register),
    .host_unregister = OPTIONAL(end_hostmem),
    .stream_create = entry_stream_create,
    .stream_destroy = entry_stream_destroy,
    .stream_flush = OPTIONAL(entry_stream_query),
    .stream_query = entry_stream_query,
    .stream_sync = entry_stream_sync,
    .stream_wait = entry_stream_wait,
    .event_create = entry_event_create,
    .event_destroy = entry_event_destroy,
    .event_record = entry_event_record,
    .event_query = entry_event_query,
    .event_sync = entry_event_sync,
    .event_elapsed = OPTIONAL(entry_event_elapsed),
    .copy = entry_copy,
    .fill = entry_fill,
    .peer_query = OPTIONAL(entry_peer_query),
};

#ifdef VARIABLE_TABLE
#include "variable_table.h"
#else
static const spoc_be_table* table(void) { return &spoc_backend_v1; }
static void vary_table(void) {}
#endif

/// Runs inside dlopen: a file that was only looked at leaves no line.
__attribute__((constructor)) static void loaded(void) {
    vary_table();
    record_event("loaded");
}
