/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// A host that opens libspoc as a plugin of its own and closes it while threads are still inside:
///
///     closes LIBRARY
///
/// The exit status is 7 when everything was as it should be.

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <spoc/spoc.h>

enum { wanted_exit = 7, wanted_copies = 1000 };

#define FUNCTIONS(X) \
    X(spoc_init)     \
    X(spoc_device_get) X(spoc_device_self_test) X(spoc_buffer_create) X(spoc_copy_to_device)

/// The functions of the library, under their own names.
static struct {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the argument is a member's name.
#define MEMBER(name) __typeof__(name)* name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} spoc;

static spoc_buffer buffer;
static atomic_int copies;

static void check(int holds, const char* what) {
    if (!holds) {
        (void)fprintf(stderr, "closes: not so: %s\n", what);
        _Exit(70);
    }
}

/// `dlsym` returns a data pointer; the bytes are copied because C has no conversion from it to a
/// function's.
static void find(void* library, const char* name, void* out_function) {
    void* address = dlsym(library, name);
    check(address != NULL, name);
    memcpy(out_function, &address, sizeof address);
}

/// Only the end of the process may end the copies.
static void* copies_ended(void) {
    spoc_error error = SPOC_ERROR_INIT;
    unsigned char byte = 0;
    (void)spoc.spoc_copy_to_device(&byte, 1, buffer, 0, &error);
    check(error.sub_code == SPOC_SUB_EXITING, "copies go on until the process ends");
    for (;;) {
        (void)pause();
    }
    return NULL;
}

static void* copy_for_ever(void* unused) {
    (void)unused;
    unsigned char bytes[4096] = {0};
    while (spoc.spoc_copy_to_device(bytes, sizeof bytes, buffer, 0, NULL) == SPOC_OK) {
        (void)atomic_fetch_add(&copies, 1);
    }
    return copies_ended();
}

static void wait_for_copies(int count) {
    for (int i = 0; i < 20000 && atomic_load(&copies) < count; ++i) {
        (void)usleep(1000);
    }
    check(atomic_load(&copies) >= count, "copies go on");
}

int main(int argc, char** argv) {
    check(argc == 2, "one argument");
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    check(library != NULL, "the library opens");
#define FIND(name) find(library, #name, &spoc.name);
    FUNCTIONS(FIND)
#undef FIND
    spoc_device device = NULL;
    spoc_self_test_step steps[16];
    uint32_t count = 0;
    check(spoc.spoc_init(NULL, NULL) == SPOC_OK, "init");
    check(spoc.spoc_device_get(0, &device, NULL) == SPOC_OK && device != NULL, "device");
    check(spoc.spoc_device_self_test(device, steps, 16, &count, NULL) == SPOC_OK, "self-test");
    check(spoc.spoc_buffer_create(device, 4096, &buffer, NULL) == SPOC_OK, "buffer");
    pthread_t thread;
    check(pthread_create(&thread, NULL, copy_for_ever, NULL) == 0, "thread");
    wait_for_copies(1);
    check(dlclose(library) == 0, "the library closes");
    wait_for_copies(atomic_load(&copies) + wanted_copies);
    return wanted_exit;
}
