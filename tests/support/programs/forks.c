/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Forks at some point of using the library and uses it on both sides:
///
///     forks before | after_init | after_listing | after_enumeration | after_use  [raw]
///
/// With `raw` the child is made by the system call alone, as container tools and some language
/// runtimes do, so that no fork handler of the C library runs. The exit status is 7 when both sides
/// were as they should be.

#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { wanted_exit = 7 };

static spoc_device device_before;
static spoc_buffer buffer_before;

static pid_t make_child(bool raw) {
    return raw ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
}

static void use_and_shut_down(void) {
    spoc_buffer buffer = use_first_device();
    EXPECT_OK(spoc_buffer_destroy(buffer, &error));
    EXPECT_OK(spoc_shutdown(&error));
}

/// Every call that needs a driver says what happened and how to avoid it.
#define EXPECT_FORKED(call)                                 \
    do {                                                    \
        EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_FORKED, call);    \
        spoc_error error = SPOC_ERROR_INIT;                 \
        (void)(call);                                       \
        CHECK(error.reason == SPOC_BE_REASON_FORKED_CHILD); \
        CHECK(strstr(error.message, "fork") != NULL);       \
    } while (0)

static void devices_are_refused(void) {
    uint32_t count = 99;
    spoc_device device = NULL;
    spoc_buffer buffer = NULL;
    spoc_be_memory_info memory = {.size = sizeof memory};
    spoc_self_test_step step;
    EXPECT_FORKED(spoc_init(NULL, &error));
    EXPECT_FORKED(spoc_backends_probe(SPOC_BE_PROBE_ENUMERATE, &error));
    EXPECT_FORKED(spoc_backend_require("native", &error));
    EXPECT_FORKED(spoc_device_count(&count, &error));
    EXPECT_FORKED(spoc_device_get(0, &device, &error));
    EXPECT_FORKED(spoc_device_select("*", &device, 1, &count, &error));
    EXPECT_FORKED(spoc_device_best(&device, &error));
    EXPECT_FORKED(spoc_device_memory(device_before, &memory, &error));
    EXPECT_FORKED(spoc_device_self_test(device_before, &step, 1, &count, &error));
    EXPECT_FORKED(spoc_buffer_create(device_before, 1, &buffer, &error));
    /* Outputs keep what they had. */
    CHECK(count == 99 && device == NULL && buffer == NULL);
}

static void buffers_are_refused(void) {
    unsigned char bytes[2] = {0, 0};
    EXPECT_FORKED(spoc_copy_to_device(bytes, 1, buffer_before, 0, &error));
    EXPECT_FORKED(spoc_copy_to_host(buffer_before, 0, bytes, 1, &error));
    EXPECT_FORKED(spoc_copy_on_device(buffer_before, 0, buffer_before, 1, 1, &error));
    EXPECT_FORKED(spoc_fill(buffer_before, 0, 1, 0, 1, &error));
    spoc_buffer_info info = {.size = sizeof info};
    EXPECT_OK(spoc_buffer_describe(buffer_before, &info, &error));
    EXPECT_OK(spoc_buffer_destroy(buffer_before, &error));
}

static void child_is_refused(void) {
    devices_are_refused();
    if (buffer_before != NULL) {
        buffers_are_refused();
    }
    spoc_device_info info = {.size = sizeof info};
    EXPECT_OK(spoc_device_describe(device_before, &info, &error));
    /* Listing needs no driver; whether it answers is not promised, only that it returns. */
    uint32_t count = 0;
    (void)spoc_backend_count(&count, NULL);
    (void)spoc_shutdown(NULL);
}

static void parent_goes_on(void) {
    if (buffer_before != NULL) {
        copy_there_and_back(buffer_before, 0xA5);
        EXPECT_OK(spoc_buffer_destroy(buffer_before, &error));
    }
    use_and_shut_down();
}

static void wait_for(pid_t child) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// Brings the library to the named point. Returns whether a child forked there may still use
/// drivers.
static bool advance_to(const char* point) {
    if (strcmp(point, "before") == 0) {
        return true;
    }
    EXPECT_OK(spoc_init(NULL, &error));
    if (strcmp(point, "after_init") == 0) {
        return true;
    }
    if (strcmp(point, "after_listing") == 0) {
        EXPECT_OK(spoc_backends_probe(SPOC_BE_PROBE_PASSIVE, &error));
        return true;
    }
    device_before = first_device();
    if (strcmp(point, "after_use") == 0) {
        buffer_before = use_first_device();
    }
    return false;
}

int main(int argc, char** argv) {
    CHECK(argc >= 2);
    const bool raw = argc > 2 && strcmp(argv[2], "raw") == 0;
    const bool may_use = advance_to(argv[1]);
    const pid_t child = make_child(raw);
    CHECK(child >= 0);
    if (strcmp(argv[1], "before") == 0) {
        EXPECT_OK(spoc_init(NULL, &error));
    }
    if (child == 0) {
        if (may_use) {
            use_and_shut_down();
        } else {
            child_is_refused();
        }
        exit(0);
    }
    wait_for(child);
    parent_goes_on();
    return wanted_exit;
}
