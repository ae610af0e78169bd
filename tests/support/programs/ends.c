/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Uses the first device, keeps a buffer alive, and ends without shutting the library down:
///
///     ends return | exit | exit_in_thread | exit_in_shutdown | quick_exit | late_handler
///
/// The exit status is 7 when everything was as it should be.

#include <pthread.h>
#include <unistd.h>

#include "check.h"

enum { wanted_exit = 7, copiers = 2 };

static spoc_buffer kept_buffer;

static void* exit_now(void* unused) {
    (void)unused;
    exit(wanted_exit);
}

/// Copies until the process ends, and stands no other failure than that it ends.
static void* copy_for_ever(void* started) {
    spoc_buffer buffer = NULL;
    EXPECT_OK(spoc_buffer_create(first_device(), piece_bytes, &buffer, &error));
    unsigned char bytes[piece_bytes] = {0};
    for (;;) {
        spoc_error error = SPOC_ERROR_INIT;
        const spoc_status status = spoc_copy_to_device(bytes, sizeof bytes, buffer, 0, &error);
        if (status != SPOC_OK) {
            CHECK(status == SPOC_UNAVAILABLE && error.sub_code == SPOC_SUB_EXITING);
            pause();
        }
        if (started != NULL) {
            (void)pthread_barrier_wait(started);
            started = NULL;
        }
    }
}

/// Ends the process from a thread while others are in the middle of copies.
static void exit_in_thread(void) {
    pthread_barrier_t started;
    CHECK(pthread_barrier_init(&started, NULL, copiers + 1) == 0);
    pthread_t thread;
    for (int i = 0; i < copiers; ++i) {
        CHECK(pthread_create(&thread, NULL, copy_for_ever, &started) == 0);
    }
    (void)pthread_barrier_wait(&started);
    CHECK(pthread_create(&thread, NULL, exit_now, NULL) == 0);
    for (;;) {
        pause();
    }
}

/// Whether `call` worked; the only other thing that it may say is that the process ends.
static int worked_before_exit(spoc_status status, const spoc_error* error) {
    CHECK(status == SPOC_OK || (status == SPOC_UNAVAILABLE && error->sub_code == SPOC_SUB_EXITING));
    return status == SPOC_OK;
}

/// Starts the runtime, uses it and shuts it down, until the process ends.
static void* live_and_die_for_ever(void* started) {
    spoc_error error = SPOC_ERROR_INIT;
    uint32_t count = 0;
    while (worked_before_exit(spoc_shutdown(&error), &error) &&
           worked_before_exit(spoc_init(NULL, &error), &error) &&
           worked_before_exit(spoc_device_count(&count, &error), &error)) {
        if (started != NULL) {
            (void)pthread_barrier_wait(started);
            started = NULL;
        }
    }
    for (;;) {
        pause();
    }
    return NULL;
}

/// Ends the process while another thread shuts the library down.
static void exit_in_shutdown(void) {
    pthread_barrier_t started;
    CHECK(pthread_barrier_init(&started, NULL, 2) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, live_and_die_for_ever, &started) == 0);
    (void)pthread_barrier_wait(&started);
    exit(wanted_exit);
}

/// What every call that needs a driver answers while the process ends.
#define EXPECT_EXITING(call)                              \
    do {                                                  \
        EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_EXITING, call); \
        spoc_error error = SPOC_ERROR_INIT;               \
        (void)(call);                                     \
        CHECK(error.reason == SPOC_BE_REASON_EXITING);    \
    } while (0)

/// Registered before the library is used, hence run after the library's own handler.
static void use_at_exit(void) {
    unsigned char byte = 0;
    uint32_t count = 0;
    spoc_buffer another = NULL;
    EXPECT_EXITING(spoc_copy_to_device(&byte, 1, kept_buffer, 0, &error));
    EXPECT_EXITING(spoc_copy_to_host(kept_buffer, 0, &byte, 1, &error));
    EXPECT_EXITING(spoc_device_count(&count, &error));
    spoc_buffer_info info = {.size = sizeof info};
    EXPECT_OK(spoc_buffer_describe(kept_buffer, &info, &error));
    EXPECT_EXITING(spoc_buffer_create(info.device, 1, &another, &error));
    EXPECT_OK(spoc_buffer_destroy(kept_buffer, &error));
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    const char* way = argv[1];
    if (strcmp(way, "late_handler") == 0) {
        CHECK(atexit(use_at_exit) == 0);
    }
    EXPECT_OK(spoc_init(NULL, &error));
    kept_buffer = use_first_device();
    if (strcmp(way, "exit_in_thread") == 0) {
        exit_in_thread();
    } else if (strcmp(way, "exit_in_shutdown") == 0) {
        exit_in_shutdown();
    } else if (strcmp(way, "quick_exit") == 0) {
        quick_exit(wanted_exit);
    } else if (strcmp(way, "exit") == 0) {
        exit(wanted_exit);
    }
    return wanted_exit;
}
