/* SPDX-License-Identifier: Apache-2.0 */

/// A whole backend plugin: one device whose memory is the process's own. It copies and fills, and
/// runs no kernels.
///
///     cc -std=c11 -shared -fPIC -fvisibility=hidden -Wl,-z,now -Wl,-z,relro
///         minimal_plugin.c -o libspoc-minimal.so
///
/// Every entry has finished its work when it returns, so that a stream holds nothing and an event
/// remembers nothing. docs/abi.md walks through the file.

#include <stdlib.h>
#include <string.h>

#include <spoc/backend.h>

// A plugin this small needs few of its parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct spoc_be_stream_s {
    char unused;
};
struct spoc_be_event_s {
    char unused;
};
struct spoc_be_device_s {
    struct spoc_be_stream_s default_stream;
};
struct spoc_be_buffer_s {
    unsigned char* bytes;
};

// Writes a record into the caller's, as far as that reaches: the caller may be older or newer. Both
// begin with the caller's size, which stays.
static void deliver(void* out, const void* record, size_t bytes) {
    uint32_t room = 0;
    memcpy(&room, out, sizeof room);
    bytes = bytes < room ? bytes : room;
    if (bytes > sizeof room) {
        memcpy((char*)out + sizeof room, (const char*)record + sizeof room, bytes - sizeof room);
    }
}

// Fills the whole record: the host may hand over one that an earlier failure has filled.
static int32_t fail(spoc_be_error* error, int32_t status, const char* origin, const char* message) {
    if (error != NULL) {
        spoc_be_error record = {.status = status};
        strncpy(record.origin, origin, sizeof record.origin - 1);
        strncpy(record.message, message, sizeof record.message - 1);
        deliver(error, &record, sizeof record);
        if (error->size > offsetof(spoc_be_error, origin) && error->size < sizeof record) {
            ((char*)error)[error->size - 1] = '\0';  // a text that was cut ends all the same
        }
    }
    return status;
}

static int32_t check_extensions(const spoc_be_ext* ext, spoc_be_error* error) {
    for (; ext != NULL; ext = ext->next) {
        if (ext->type & SPOC_BE_EXT_REQUIRED) {
            return fail(error, SPOC_BE_EXTENSION, "",
                        "The request has an extension that is not known here.");
        }
    }
    return SPOC_BE_OK;
}

// What a newer host may ask for must be refused, not passed over.
static int32_t check_request(uint64_t flags, uint64_t known_flags, const spoc_be_ext* ext,
                             spoc_be_error* error) {
    if (flags & ~known_flags) {
        return fail(error, SPOC_BE_UNSUPPORTED, "",
                    "The request has a flag that is not known here.");
    }
    return check_extensions(ext, error);
}

static int32_t allocate(size_t bytes, void* out, spoc_be_error* error) {
    void* block = calloc(1, bytes);
    if (block == NULL) {
        return fail(error, SPOC_BE_HOST_MEMORY, "calloc",
                    "There is no memory for a record of the plugin.");
    }
    memcpy(out, &block, sizeof block);
    return SPOC_BE_OK;
}

/* ---- life cycle ---- */

// A real plugin opens its driver's library here, through host->vendor_open, and says what it found.
static int32_t probe(const spoc_be_host* host, uint32_t level, spoc_be_probe_report* report,
                     spoc_be_error* error) {
    spoc_be_probe_report found = {
        .level = level,
        .reason = SPOC_BE_REASON_NONE,
        .device_count = level == SPOC_BE_PROBE_ENUMERATE ? 1 : SPOC_BE_UNKNOWN_32};
    memset(found.driver_version, 0xff, sizeof found.driver_version);
    memset(found.driver_minimum, 0xff, sizeof found.driver_minimum);
    deliver(report, &found, sizeof found);
    return SPOC_BE_OK;
}

static int32_t open_backend(const spoc_be_host* host, const spoc_be_ext* ext,
                            spoc_be_error* error) {
    return check_extensions(ext, error);
}

static int32_t close_backend(spoc_be_error* error) { return SPOC_BE_OK; }

static void quiesce(uint32_t reason) {}  // no thread to stop, no driver

static int32_t get_interface(const char* name, uint32_t min_size, const void** out,
                             spoc_be_error* error) {
    return fail(error, SPOC_BE_UNSUPPORTED, "", "The plugin has no interface of that name.");
}

/* ---- devices ---- */

static int32_t device_count(uint32_t* count, spoc_be_error* error) {
    *count = 1;
    return SPOC_BE_OK;
}

static int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    if (index != 0) {
        return fail(error, SPOC_BE_INVALID, "", "There is one device, with index 0.");
    }
    spoc_be_device_info mine = {
        .index = index, .kind = SPOC_BE_KIND_CPU, .name = "Minimal device", .framework = "Minimal"};
    // What is not known is all-ones, never a guess. This covers the ids, and every limit up to the
    // reserved fields.
    memset(&mine.vendor_id, 0xff,
           offsetof(spoc_be_device_info, caps) - offsetof(spoc_be_device_info, vendor_id));
    memset(&mine.memory_total, 0xff,
           offsetof(spoc_be_device_info, reserved_0) - offsetof(spoc_be_device_info, memory_total));
    // Every bit of version 1.0 has an answer, and the answer is "no".
    mine.caps_known[0] = UINT64_C(0x3ffff);
    mine.caps_known[1] = UINT64_C(0x3f);
    mine.caps_known[2] = UINT64_C(0x7fff);
    mine.pageable_max = SPOC_BE_NO_LIMIT;  // copy takes ordinary memory of any size
    mine.inline_write = 0;
    mine.timer_ns = 0;
    mine.queues = 1;
    mine.copy_align = 1;
    deliver(info, &mine, sizeof mine);
    return SPOC_BE_OK;
}

static int32_t device_open(uint32_t index, const spoc_be_device_desc* desc,
                           spoc_be_device_result* result, spoc_be_error* error) {
    spoc_be_device device = NULL;
    int32_t status = check_request(desc->flags, 0, desc->ext, error);
    if (status == SPOC_BE_OK) {
        status = allocate(sizeof *device, &device, error);
    }
    if (status == SPOC_BE_OK) {
        const spoc_be_device_result made = {.device = device,
                                            .default_stream = &device->default_stream};
        deliver(result, &made, sizeof made);
    }
    return status;
}

static int32_t device_close(spoc_be_device device, spoc_be_error* error) {
    free(device);
    return SPOC_BE_OK;
}

static int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info,
                             spoc_be_error* error) {
    const spoc_be_memory_info found = {.total = SPOC_BE_UNKNOWN_64,
                                       .free = SPOC_BE_UNKNOWN_64,
                                       .pinned_budget = SPOC_BE_UNKNOWN_64};
    deliver(info, &found, sizeof found);
    return SPOC_BE_OK;
}

/* ---- buffers ---- */

static int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                             spoc_be_buffer_result* result, spoc_be_error* error) {
    spoc_be_buffer buffer = NULL;
    int32_t status = check_request(desc->flags, 0, desc->ext, error);
    if (status == SPOC_BE_OK && desc->kind != SPOC_BE_BUFFER_DEVICE) {
        status = fail(error, SPOC_BE_UNSUPPORTED, "", "There are buffers of kind DEVICE only.");
    }
    if (status == SPOC_BE_OK) {
        status = allocate(sizeof *buffer, &buffer, error);
    }
    if (status != SPOC_BE_OK) {
        return status;
    }
    buffer->bytes = malloc(desc->bytes);
    if (buffer->bytes == NULL) {
        free(buffer);
        status = fail(error, SPOC_BE_OUT_OF_MEMORY, "malloc", "There is no memory for the buffer.");
        if (error != NULL && error->size >= offsetof(spoc_be_error, limit)) {
            error->asked = desc->bytes;
        }
        return status;
    }
    const spoc_be_buffer_result made = {.buffer = buffer, .allocated = desc->bytes};
    deliver(result, &made, sizeof made);
    return SPOC_BE_OK;
}

static int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error) {
    free(buffer->bytes);
    free(buffer);
    return SPOC_BE_OK;
}

/* ---- streams and events ---- */

static int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc,
                             spoc_be_stream* out, spoc_be_error* error) {
    int32_t status = check_request(desc->flags, SPOC_BE_STREAM_NON_BLOCKING, desc->ext, error);
    return status != SPOC_BE_OK ? status : allocate(sizeof **out, out, error);
}

static int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error) {
    free(stream);
    return SPOC_BE_OK;
}

static int32_t stream_query(spoc_be_stream stream, spoc_be_error* error) { return SPOC_BE_OK; }

static int32_t stream_sync(spoc_be_stream stream, uint64_t timeout_ns, spoc_be_error* error) {
    return SPOC_BE_OK;
}

static int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error) {
    return SPOC_BE_OK;
}

static int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                            spoc_be_error* error) {
    int32_t status = check_request(flags, 0, NULL, error);
    return status != SPOC_BE_OK ? status : allocate(sizeof **out, out, error);
}

static int32_t event_destroy(spoc_be_event event, spoc_be_error* error) {
    free(event);
    return SPOC_BE_OK;
}

static int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    return SPOC_BE_OK;
}

static int32_t event_query(spoc_be_event event, spoc_be_error* error) { return SPOC_BE_OK; }

static int32_t event_sync(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error) {
    return SPOC_BE_OK;
}

/* ---- copies ---- */

static int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
                    spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;  // nothing is in flight afterwards, whether the call succeeds or not
    int32_t status = check_request(request->flags, SPOC_BE_WAIT, request->ext, error);
    if (status == SPOC_BE_OK && request->kind > SPOC_BE_COPY_D2D) {
        status = fail(error, SPOC_BE_UNSUPPORTED, "", "Copies of this kind are not known here.");
    }
    for (uint32_t i = 0; status == SPOC_BE_OK && i < request->count; ++i) {
        const spoc_be_range* range = &request->ranges[i];
        void* to =
            request->kind == SPOC_BE_COPY_D2H ? range->host : range->dst->bytes + range->dst_offset;
        void* from =
            request->kind == SPOC_BE_COPY_H2D ? range->host : range->src->bytes + range->src_offset;
        memcpy(to, from, range->bytes);
    }
    return status;
}

static int32_t fill(spoc_be_stream stream, const spoc_be_fill* request, uint32_t* done,
                    spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    int32_t status = check_request(request->flags, SPOC_BE_WAIT, request->ext, error);
    for (uint64_t i = 0; status == SPOC_BE_OK && i < request->bytes; ++i) {
        request->buffer->bytes[request->offset + i] =
            (unsigned char)(request->pattern >> (8 * (i % request->pattern_size)));
    }
    return status;
}

SPOC_BE_PLUGIN("minimal", "0.1.0") = {
    .header = SPOC_BE_TABLE_HEADER,
    .name = "minimal",
    .vendor = "The SPOC authors",
    .version = "0.1.0",
    .build_id = "",
    .probe = probe,
    .open = open_backend,
    .close = close_backend,
    .quiesce = quiesce,
    .get_interface = get_interface,
    .device_count = device_count,
    .device_info = device_info,
    .device_open = device_open,
    .device_close = device_close,
    .device_memory = device_memory,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_query = stream_query,
    .stream_sync = stream_sync,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_query = event_query,
    .event_sync = event_sync,
    .copy = copy,
    .fill = fill,
};
