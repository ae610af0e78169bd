/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIXTURE_CHECK_H
#define FIXTURE_CHECK_H

/// \file
/// What the test programs share. They say on stderr what is wrong and end with `CHECK_FAILED`;
/// tests want an empty stderr and a status that the program chose, so that nothing which the
/// library prints passes unseen.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spoc/spoc.h>

#define CHECK_FAILED 70

/// Ends the program unless `condition` holds. Skips exit handlers: those are what some programs are
/// about.
#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            _Exit(CHECK_FAILED);                                                          \
        }                                                                                 \
    } while (0)

/// Ends the program unless `call`, which may name `&error`, returns `wanted_status` with
/// `wanted_sub` in the record.
#define EXPECT(wanted_status, wanted_sub, call)                                     \
    do {                                                                            \
        spoc_error error = SPOC_ERROR_INIT;                                         \
        const spoc_status got = (call);                                             \
        check_outcome(__LINE__, #call, got, &error, (wanted_status), (wanted_sub)); \
    } while (0)

#define EXPECT_OK(call) EXPECT(SPOC_OK, SPOC_SUB_NONE, call)

static inline void check_outcome(int line, const char* call, spoc_status got,
                                 const spoc_error* error, spoc_status wanted_status,
                                 uint32_t wanted_sub) {
    /* On success the record stays as it was; on failure it repeats the status. */
    if (got == wanted_status && error->sub_code == wanted_sub && error->status == got) {
        return;
    }
    (void)fprintf(stderr, "line %d: %s: %s/%s, wanted %s/%s: %s\n", line, call,
                  spoc_status_name(got), spoc_sub_code_name(error->sub_code),
                  spoc_status_name(wanted_status), spoc_sub_code_name(wanted_sub), error->message);
    _Exit(CHECK_FAILED);
}

enum { piece_bytes = 4096 };

static inline spoc_device first_device(void) {
    spoc_device device = NULL;
    EXPECT_OK(spoc_device_get(0, &device, &error));
    CHECK(device != NULL);
    return device;
}

/// Copies a pattern to `buffer`, which has room for `piece_bytes`, and compares what comes back.
static inline void copy_there_and_back(spoc_buffer buffer, unsigned char pattern) {
    unsigned char sent[piece_bytes];
    unsigned char received[piece_bytes];
    memset(sent, pattern, sizeof sent);
    memset(received, ~pattern & 0xFF, sizeof received);
    EXPECT_OK(spoc_copy_to_device(sent, sizeof sent, buffer, 0, &error));
    EXPECT_OK(spoc_copy_to_host(buffer, 0, received, sizeof received, &error));
    CHECK(memcmp(sent, received, sizeof sent) == 0);
}

/// Runs every step of the self-test, which starts whatever threads a backend has.
static inline void self_test(spoc_device device) {
    spoc_self_test_step steps[16];
    uint32_t count = 0;
    EXPECT_OK(spoc_device_self_test(device, steps, 16, &count, &error));
    for (uint32_t i = 0; i < count && i < 16; ++i) {
        CHECK(steps[i].outcome != SPOC_STEP_FAILED);
    }
}

/// Uses the first device in every way that needs its driver, and returns a buffer that is still
/// alive.
static inline spoc_buffer use_first_device(void) {
    const spoc_device device = first_device();
    spoc_buffer buffer = NULL;
    EXPECT_OK(spoc_buffer_create(device, piece_bytes, &buffer, &error));
    copy_there_and_back(buffer, 0x5A);
    self_test(device);
    return buffer;
}

#endif /* FIXTURE_CHECK_H */
