/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Calls the C interface as it should not be called, and looks at every answer:
///
///     misuse before_init | null_arguments | without_plugins | shut_down_twice | after_shutdown |
///     fifty_times
///
/// `without_plugins` expects to find none, the others at least one device. The exit status is 7
/// when every answer was right.

#include <dirent.h>

#include "check.h"

enum { wanted_exit = 7 };

#define EXPECT_NULL(call) EXPECT(SPOC_INVALID_ARGUMENT, SPOC_SUB_NULL, call)
#define EXPECT_NOT_INITIALISED(call) EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_NOT_INITIALISED, call)
#define EXPECT_SHUT_DOWN(call) EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN, call)

/// What needs no runtime answers at any time.
static void tables_answer(void) {
    uint32_t bit = 99;
    CHECK(strcmp(spoc_version(), "") != 0);
    CHECK(strcmp(spoc_status_name(SPOC_UNAVAILABLE), "unavailable") == 0);
    CHECK(strcmp(spoc_status_name(12345), "unknown") == 0);
    CHECK(strcmp(spoc_sub_code_name(SPOC_SUB_BOUNDS), "bounds") == 0);
    CHECK(strcmp(spoc_reason_name(SPOC_BE_REASON_NO_ENTRY), "NO_ENTRY") == 0);
    CHECK(strcmp(spoc_reason_name(12345), "UNKNOWN") == 0);
    CHECK(spoc_reason_hint(12345)[0] == '\0');
    CHECK(strcmp(spoc_state_name(12345), "unknown") == 0);
    CHECK(strcmp(spoc_stage_name(SPOC_STAGE_PASSIVE), "passive") == 0);
    CHECK(strcmp(spoc_search_source_name(SPOC_SEARCH_PATH), "SPOC_PLUGIN_PATH") == 0);
    CHECK(strcmp(spoc_place_verdict_name(SPOC_PLACE_MISSING), "missing") == 0);
    CHECK(strcmp(spoc_device_kind_name(SPOC_BE_KIND_DISCRETE), "discrete") == 0);
    CHECK(spoc_capability_find("pinned", &bit) == 1 && bit == SPOC_BE_CAP_PINNED);
    CHECK(spoc_capability_find("no such capability", &bit) == 0 && bit == SPOC_BE_CAP_PINNED);
    CHECK(spoc_capability_at(0, &bit) != NULL);
    CHECK(spoc_capability_at(UINT32_MAX, &bit) == NULL);
}

/// What needs the runtime is refused with `sub_code` while there is none.
static void without_runtime(uint32_t sub_code) {
    uint32_t count = 99;
    spoc_device device = NULL;
    spoc_backend_info backend = {.size = sizeof backend};
    spoc_search_place place = {.size = sizeof place};
    EXPECT_NOT_INITIALISED(spoc_shutdown(&error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_backends_probe(SPOC_BE_PROBE_PASSIVE, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_backends_probe(SPOC_BE_PROBE_ENUMERATE, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_backend_count(&count, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_backend_get(0, &backend, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_backend_require("native", &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_search_count(&count, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_search_get(0, &place, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_device_count(&count, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_device_get(0, &device, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_device_select("*", &device, 1, &count, &error));
    EXPECT(SPOC_UNAVAILABLE, sub_code, spoc_device_best(&device, &error));
    CHECK(count == 99 && device == NULL);
}

static void before_init(void) {
    tables_answer();
    without_runtime(SPOC_SUB_NOT_INITIALISED);
}

/// Arguments are looked at first, so these are the same with and without a runtime.
static void null_to_lists(void) {
    uint32_t count = 0;
    spoc_device device = NULL;
    EXPECT_NULL(spoc_backend_count(NULL, &error));
    EXPECT_NULL(spoc_backend_get(0, NULL, &error));
    EXPECT_NULL(spoc_backend_require(NULL, &error));
    EXPECT_NULL(spoc_search_count(NULL, &error));
    EXPECT_NULL(spoc_search_get(0, NULL, &error));
    EXPECT_NULL(spoc_device_count(NULL, &error));
    EXPECT_NULL(spoc_device_get(0, NULL, &error));
    EXPECT_NULL(spoc_device_select(NULL, &device, 1, &count, &error));
    EXPECT_NULL(spoc_device_select("*", NULL, 1, &count, &error));
    EXPECT_NULL(spoc_device_select("*", &device, 1, NULL, &error));
    EXPECT_NULL(spoc_device_best(NULL, &error));
}

static void null_handles(void) {
    uint32_t number = 0;
    unsigned char byte = 0;
    spoc_buffer buffer = NULL;
    spoc_device_info device_info = {.size = sizeof device_info};
    spoc_buffer_info buffer_info = {.size = sizeof buffer_info};
    spoc_be_memory_info memory = {.size = sizeof memory};
    spoc_self_test_step step;
    EXPECT_NULL(spoc_device_describe(NULL, &device_info, &error));
    EXPECT_NULL(spoc_device_capability(NULL, 0, &number, NULL, 0, &error));
    EXPECT_NULL(spoc_device_memory(NULL, &memory, &error));
    EXPECT_NULL(spoc_device_self_test(NULL, &step, 1, &number, &error));
    EXPECT_NULL(spoc_buffer_create(NULL, 1, &buffer, &error));
    EXPECT_NULL(spoc_buffer_describe(NULL, &buffer_info, &error));
    EXPECT_OK(spoc_buffer_destroy(NULL, &error));
    EXPECT_NULL(spoc_copy_to_device(&byte, 1, NULL, 0, &error));
    EXPECT_NULL(spoc_copy_to_host(NULL, 0, &byte, 1, &error));
    EXPECT_NULL(spoc_copy_on_device(NULL, 0, NULL, 0, 1, &error));
    EXPECT_NULL(spoc_fill(NULL, 0, 1, 0, 1, &error));
}

static void null_outputs(spoc_device device, spoc_buffer buffer) {
    spoc_self_test_step step;
    EXPECT_NULL(spoc_device_describe(device, NULL, &error));
    EXPECT_NULL(spoc_device_capability(device, 0, NULL, NULL, 0, &error));
    EXPECT_NULL(spoc_device_memory(device, NULL, &error));
    EXPECT_NULL(spoc_device_self_test(device, &step, 1, NULL, &error));
    EXPECT_NULL(spoc_buffer_create(device, 1, NULL, &error));
    EXPECT_NULL(spoc_buffer_describe(buffer, NULL, &error));
    EXPECT_NULL(spoc_copy_to_device(NULL, 1, buffer, 0, &error));
    EXPECT_NULL(spoc_copy_to_host(buffer, 0, NULL, 1, &error));
    EXPECT_NULL(spoc_copy_on_device(buffer, 0, NULL, 0, 1, &error));
    EXPECT_NULL(spoc_copy_on_device(NULL, 0, buffer, 0, 1, &error));
    CHECK(spoc_capability_find(NULL, NULL) == 0);
    CHECK(spoc_setting_get(0, NULL) == 0);
    (void)spoc_capability_at(0, NULL);
}

static void null_arguments(void) {
    null_to_lists();
    null_handles();
    /* The record itself may be null everywhere, on failure too. */
    CHECK(spoc_shutdown(NULL) == SPOC_UNAVAILABLE);
    CHECK(spoc_init(NULL, NULL) == SPOC_OK);
    CHECK(spoc_device_count(NULL, NULL) == SPOC_INVALID_ARGUMENT);
    null_to_lists();
    null_handles();
    spoc_buffer buffer = use_first_device();
    null_outputs(first_device(), buffer);
    EXPECT_OK(spoc_buffer_destroy(buffer, &error));
    EXPECT_OK(spoc_shutdown(&error));
}

static void without_plugins(void) {
    uint32_t count = 99;
    spoc_device device = NULL;
    spoc_backend_info backend = {.size = sizeof backend};
    EXPECT_OK(spoc_init(NULL, &error));
    EXPECT_OK(spoc_backends_probe(SPOC_BE_PROBE_ENUMERATE, &error));
    EXPECT_OK(spoc_device_count(&count, &error));
    CHECK(count == 0);
    EXPECT_OK(spoc_device_get(0, &device, &error));
    CHECK(device == NULL);
    EXPECT_OK(spoc_device_select("*", &device, 1, &count, &error));
    CHECK(count == 0);
    EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_LIBRARY_NOT_FOUND,
           spoc_device_select("native", &device, 1, &count, &error));
    EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_NO_DEVICE, spoc_device_best(&device, &error));
    EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_LIBRARY_NOT_FOUND, spoc_backend_require("native", &error));
    EXPECT_OK(spoc_backend_count(&count, &error));
    for (uint32_t i = 0; i < count; ++i) {
        EXPECT_OK(spoc_backend_get(i, &backend, &error));
        CHECK(backend.state != SPOC_STATE_READY);
    }
    EXPECT(SPOC_INVALID_ARGUMENT, SPOC_SUB_BOUNDS, spoc_backend_get(count, &backend, &error));
    EXPECT_OK(spoc_shutdown(&error));
}

static void shut_down_twice(void) {
    EXPECT_OK(spoc_init(NULL, &error));
    EXPECT_OK(spoc_init(NULL, &error));
    spoc_buffer buffer = use_first_device();
    EXPECT_OK(spoc_shutdown(&error));
    /* One reference is left. */
    copy_there_and_back(buffer, 0x11);
    EXPECT_OK(spoc_buffer_destroy(buffer, &error));
    EXPECT_OK(spoc_shutdown(&error));
    EXPECT_NOT_INITIALISED(spoc_shutdown(&error));
    tables_answer();
    without_runtime(SPOC_SUB_SHUT_DOWN);
}

/// A buffer of an earlier life of the runtime is refused, also while a later one runs.
static void expect_buffer_of_the_past(spoc_buffer buffer) {
    unsigned char bytes[2] = {0, 0};
    spoc_buffer_info info = {.size = sizeof info};
    EXPECT_SHUT_DOWN(spoc_copy_to_device(bytes, 1, buffer, 0, &error));
    EXPECT_SHUT_DOWN(spoc_copy_to_host(buffer, 0, bytes, 1, &error));
    EXPECT_SHUT_DOWN(spoc_copy_on_device(buffer, 0, buffer, 1, 1, &error));
    EXPECT_SHUT_DOWN(spoc_fill(buffer, 0, 1, 0, 1, &error));
    EXPECT_OK(spoc_buffer_describe(buffer, &info, &error));
    CHECK(info.bytes == piece_bytes);
}

static void expect_device_of_the_past(spoc_device device) {
    uint32_t count = 0;
    spoc_buffer buffer = NULL;
    spoc_be_memory_info memory = {.size = sizeof memory};
    spoc_self_test_step step;
    EXPECT_SHUT_DOWN(spoc_buffer_create(device, 1, &buffer, &error));
    EXPECT_SHUT_DOWN(spoc_device_memory(device, &memory, &error));
    EXPECT_SHUT_DOWN(spoc_device_self_test(device, &step, 1, &count, &error));
    spoc_device_info info = {.size = sizeof info};
    EXPECT_OK(spoc_device_describe(device, &info, &error));
    CHECK(info.properties->name[0] != '\0');
}

static void after_shutdown(void) {
    EXPECT_OK(spoc_init(NULL, &error));
    const spoc_device device = first_device();
    spoc_buffer first = use_first_device();
    spoc_buffer second = use_first_device();
    EXPECT_OK(spoc_shutdown(&error));
    expect_device_of_the_past(device);
    expect_buffer_of_the_past(first);
    EXPECT_OK(spoc_buffer_destroy(first, &error));
    EXPECT_OK(spoc_init(NULL, &error));
    expect_device_of_the_past(device);
    expect_buffer_of_the_past(second);
    EXPECT_OK(spoc_buffer_destroy(second, &error));
    EXPECT_OK(spoc_buffer_destroy(use_first_device(), &error));
    EXPECT_OK(spoc_shutdown(&error));
}

static int count_in(const char* folder) {
    DIR* open_folder = opendir(folder);
    CHECK(open_folder != NULL);
    int count = 0;
    while (readdir(open_folder) != NULL) {
        ++count;
    }
    (void)closedir(open_folder);
    return count;
}

/// Descriptors and threads do not grow in number from one life of the runtime to the next.
static void fifty_times(void) {
    int files = 0;
    int threads = 0;
    for (int i = 0; i < 50; ++i) {
        EXPECT_OK(spoc_init(NULL, &error));
        spoc_buffer forgotten = use_first_device();
        EXPECT_OK(spoc_buffer_destroy(use_first_device(), &error));
        EXPECT_OK(spoc_shutdown(&error));
        EXPECT_OK(spoc_buffer_destroy(forgotten, &error));
        if (i == 4) {
            files = count_in("/proc/self/fd");
            threads = count_in("/proc/self/task");
        }
    }
    CHECK(count_in("/proc/self/fd") == files);
    CHECK(count_in("/proc/self/task") <= threads);
}

static const struct {
    const char* name;
    void (*run)(void);
} cases[] = {
    {"before_init", before_init},         {"null_arguments", null_arguments},
    {"without_plugins", without_plugins}, {"shut_down_twice", shut_down_twice},
    {"after_shutdown", after_shutdown},   {"fifty_times", fifty_times},
};

int main(int argc, char** argv) {
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; ++i) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return wanted_exit;
        }
    }
    return CHECK_FAILED;
}
