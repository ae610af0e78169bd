/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Threads that copy within spans of their own, for a trace:
///
///     traces shutdown | exit_in_thread | fork
///
/// `exit_in_thread` ends the process from another thread than the first, while the others copy and
/// have spans open. The exit status is 7 when everything was as it should be.

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { wanted_exit = 7, copiers = 3, rounds = 50, children_spans = 5000 };

static pthread_barrier_t started;

/// Copies a few times, then says so, and goes on for ever if `forever` is set.
static void* copy_in_spans(void* forever) {
    spoc_buffer buffer = NULL;
    EXPECT_OK(spoc_buffer_create(first_device(), piece_bytes, &buffer, &error));
    unsigned char bytes[piece_bytes] = {0};
    spoc_trace_begin("copier");
    for (int round = 0; round < rounds || forever != NULL; ++round) {
        spoc_trace_begin("round \"\\\n\xC3\xA9\xFF");
        spoc_error error = SPOC_ERROR_INIT;
        const spoc_status status = spoc_copy_to_device(bytes, sizeof bytes, buffer, 0, &error);
        if (status != SPOC_OK) {
            CHECK(status == SPOC_UNAVAILABLE && error.sub_code == SPOC_SUB_EXITING);
            pause();
        }
        spoc_trace_end();
        if (round == rounds - 1) {
            (void)pthread_barrier_wait(&started);
        }
    }
    EXPECT_OK(spoc_buffer_destroy(buffer, &error));
    return NULL;  // its span ends with the thread
}

static void* exit_now(void* unused) {
    (void)unused;
    spoc_trace_begin("exiting");
    exit(wanted_exit);
}

/// A child that uses nothing but spans, and another one that starts the runtime afresh.
static void fork_children(void) {
    for (int starts = 0; starts < 2; ++starts) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            if (starts != 0) {
                EXPECT_OK(spoc_shutdown(&error));
                EXPECT_OK(spoc_init(NULL, &error));
            }
            // More than a thread gathers before it writes.
            for (int i = 0; i < children_spans; ++i) {
                spoc_trace_begin("child");
                spoc_trace_end();
            }
            exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    const int exits = strcmp(argv[1], "exit_in_thread") == 0;
    spoc_trace_begin("before the start");
    spoc_trace_end();
    EXPECT_OK(spoc_init(NULL, &error));
    spoc_trace_end();
    if (strcmp(argv[1], "fork") == 0) {
        fork_children();
    }
    CHECK(pthread_barrier_init(&started, NULL, copiers + 1) == 0);
    pthread_t threads[copiers];
    for (int i = 0; i < copiers; ++i) {
        CHECK(pthread_create(&threads[i], NULL, copy_in_spans, exits ? &started : NULL) == 0);
    }
    (void)pthread_barrier_wait(&started);
    if (exits) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, exit_now, NULL) == 0);
        for (;;) {
            pause();
        }
    }
    for (int i = 0; i < copiers; ++i) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    EXPECT(SPOC_INVALID_ARGUMENT, SPOC_SUB_NULL, spoc_device_synchronize(NULL, &error));
    EXPECT_OK(spoc_shutdown(&error));
    return wanted_exit;
}
