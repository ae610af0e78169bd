/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Loads the plugin named on the command line and uses every required entry of it, as a host would.
/// Prints the line of the first check that fails.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <spoc/backend.h>

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            return 1;                                      \
        }                                                  \
    } while (0)

static const volatile uint32_t state = SPOC_BE_PROCESS_RUNNING;
static const spoc_be_host host = {
    .header = {SPOC_BE_HOST_MAGIC, sizeof(spoc_be_host), SPOC_BE_ABI_MAJOR, SPOC_BE_ABI_MINOR,
               SPOC_BE_BUILD_FLAVOUR, 0, 0},
    .process_state = &state,
};
static const spoc_be_ext optional_ext = {1, sizeof(spoc_be_ext), NULL};
static const spoc_be_ext required_ext = {SPOC_BE_EXT_REQUIRED | 1, sizeof(spoc_be_ext), NULL};

static int check_required_entries(const spoc_be_table* t) {
#define CHECK_ENTRY(number, name, required) CHECK(!(required) || t->name);
    SPOC_BE_ENTRY_LIST(CHECK_ENTRY)
    return 0;
}

static int check_backend(const spoc_be_table* t) {
    spoc_be_probe_report report = {.size = sizeof report};
    CHECK(t->probe(&host, SPOC_BE_PROBE_PASSIVE, &report, NULL) == SPOC_BE_OK);
    CHECK(report.device_count == SPOC_BE_UNKNOWN_32);
    CHECK(t->probe(&host, SPOC_BE_PROBE_ENUMERATE, &report, NULL) == SPOC_BE_OK);
    CHECK(report.device_count == 1 && report.size == sizeof report);
    CHECK(t->open(&host, &required_ext, NULL) == SPOC_BE_EXTENSION);
    CHECK(t->open(&host, &optional_ext, NULL) == SPOC_BE_OK);

    spoc_be_error error = {.size = sizeof error, .native_code = 7, .tag = 7};
    const void* interface = NULL;
    CHECK(t->get_interface("none", 8, &interface, &error) == SPOC_BE_UNSUPPORTED);
    CHECK(error.status == SPOC_BE_UNSUPPORTED && error.message[0] && error.native_code == 0 &&
          error.tag == 0);

    uint32_t count = 0;
    spoc_be_device_info info = {.size = sizeof info};
    CHECK(t->device_count(&count, NULL) == SPOC_BE_OK && count == 1);
    CHECK(t->device_info(0, &info, NULL) == SPOC_BE_OK);
    CHECK(info.max_alloc == SPOC_BE_UNKNOWN_64 && info.subgroup == SPOC_BE_UNKNOWN_32);
    CHECK(info.reserved_0 == 0 && info.reserved[0] == 0 && info.formats == 0 && info.caps[2] == 0);
    CHECK(info.caps_known[SPOC_BE_CAP_SUBGROUPS / 64] >> (SPOC_BE_CAP_SUBGROUPS % 64) == 1);
    // A host that knows less gets no more than it asked for.
    memset(&info, 0x55, sizeof info);
    info.size = 64;
    CHECK(t->device_info(0, &info, NULL) == SPOC_BE_OK && info.size == 64);
    CHECK(((const unsigned char*)&info)[64] == 0x55);
    return 0;
}

static int check_copies(const spoc_be_table* t, spoc_be_stream stream, spoc_be_buffer a,
                        spoc_be_buffer b) {
    uint32_t done = 0;
    char bytes[8] = "abcdefg";
    spoc_be_range range = {.dst = a, .dst_offset = 3, .host = bytes, .bytes = 8};
    spoc_be_copy copy = {sizeof copy, SPOC_BE_COPY_H2D, SPOC_BE_WAIT, 1, &range, NULL};
    CHECK(t->copy(stream, &copy, &done, NULL) == SPOC_BE_OK && done == SPOC_BE_DONE_ALL);
    range = (spoc_be_range){.dst = b, .dst_offset = 1, .src = a, .src_offset = 3, .bytes = 8};
    copy.kind = SPOC_BE_COPY_D2D;
    CHECK(t->copy(stream, &copy, &done, NULL) == SPOC_BE_OK && done == SPOC_BE_DONE_ALL);
    const spoc_be_fill fill = {sizeof fill, 0, b, 2, 2, 0x3231, 2, NULL};
    done = 0;
    CHECK(t->fill(stream, &fill, &done, NULL) == SPOC_BE_OK && done == SPOC_BE_DONE_ALL);
    memset(bytes, 0, sizeof bytes);
    range = (spoc_be_range){.src = b, .src_offset = 1, .host = bytes, .bytes = 8};
    copy.kind = SPOC_BE_COPY_D2H;
    CHECK(t->copy(stream, &copy, &done, NULL) == SPOC_BE_OK);
    CHECK(strcmp(bytes, "a12defg") == 0);
    copy.ext = &required_ext;
    done = 0;
    CHECK(t->copy(stream, &copy, &done, NULL) == SPOC_BE_EXTENSION && done == SPOC_BE_DONE_ALL);
    return 0;
}

static int check_events(const spoc_be_table* t, spoc_be_device device, spoc_be_stream stream) {
    spoc_be_event event = NULL;
    CHECK(t->event_create(device, 0, &event, NULL) == SPOC_BE_OK && event);
    CHECK(t->event_query(event, NULL) == SPOC_BE_OK);
    CHECK(t->event_record(event, stream, NULL) == SPOC_BE_OK);
    CHECK(t->stream_wait(stream, event, NULL) == SPOC_BE_OK);
    CHECK(t->event_sync(event, SPOC_BE_FOREVER, NULL) == SPOC_BE_OK);
    CHECK(t->stream_query(stream, NULL) == SPOC_BE_OK);
    CHECK(t->stream_sync(stream, SPOC_BE_NO_WAIT, NULL) == SPOC_BE_OK);
    CHECK(t->event_destroy(event, NULL) == SPOC_BE_OK);
    return 0;
}

static int check_device(const spoc_be_table* t) {
    const spoc_be_device_desc desc = {sizeof desc, 0, NULL};
    spoc_be_device_result device = {.size = sizeof device};
    CHECK(t->device_open(0, &desc, &device, NULL) == SPOC_BE_OK && device.device &&
          device.default_stream);
    spoc_be_memory_info memory = {.size = sizeof memory};
    CHECK(t->device_memory(device.device, &memory, NULL) == SPOC_BE_OK &&
          memory.total == SPOC_BE_UNKNOWN_64);

    const spoc_be_stream_desc stream_desc = {sizeof stream_desc, 0, 0, 0, NULL};
    spoc_be_stream stream = NULL;
    CHECK(t->stream_create(device.device, &stream_desc, &stream, NULL) == SPOC_BE_OK && stream);
    spoc_be_buffer_desc buffer_desc = {.size = sizeof buffer_desc, .bytes = 16};
    spoc_be_buffer_result a = {.size = sizeof a};
    spoc_be_buffer_result b = {.size = sizeof b};
    CHECK(t->buffer_create(device.device, &buffer_desc, &a, NULL) == SPOC_BE_OK);
    CHECK(t->buffer_create(device.device, &buffer_desc, &b, NULL) == SPOC_BE_OK &&
          b.allocated == 16);
    spoc_be_error error = {.size = sizeof error};
    spoc_be_buffer_result none = {.size = sizeof none};
    buffer_desc.bytes = UINT64_C(1) << 62;
    CHECK(t->buffer_create(device.device, &buffer_desc, &none, &error) == SPOC_BE_OUT_OF_MEMORY);
    CHECK(error.asked == buffer_desc.bytes && none.buffer == NULL);
    if (check_copies(t, stream, a.buffer, b.buffer) ||
        check_events(t, device.device, device.default_stream)) {
        return 1;
    }
    CHECK(t->buffer_destroy(a.buffer, NULL) == SPOC_BE_OK &&
          t->buffer_destroy(b.buffer, NULL) == SPOC_BE_OK);
    CHECK(t->stream_destroy(stream, NULL) == SPOC_BE_OK);
    CHECK(t->device_close(device.device, NULL) == SPOC_BE_OK);
    t->quiesce(SPOC_BE_QUIESCE_SHUTDOWN);
    CHECK(t->close(NULL) == SPOC_BE_OK);
    return 0;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    const spoc_be_table* t = dlsym(library, SPOC_BE_SYMBOL);
    CHECK(t && t->header.magic == SPOC_BE_MAGIC && t->header.size == sizeof *t);
    CHECK(t->header.major == SPOC_BE_ABI_MAJOR && t->header.flavour == SPOC_BE_BUILD_FLAVOUR);
    CHECK(strcmp(t->name, "minimal") == 0 && strcmp(t->version, "0.1.0") == 0);
    return check_required_entries(t) || check_backend(t) || check_device(t);
}
