/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Programs that SPOC_DEBUG and SPOC_GPU_STATS are for:
///
///     debugging tidy              gives everything back and shuts down
///     debugging untidy            keeps objects of each kind and shuts down
///     debugging untidy_at_exit    keeps them and ends without a shutdown
///     debugging forked            as untidy_at_exit, after a child has ended by exit
///     debugging two_threads       uses a vector on a second thread while the first one does
///     debugging one_thread        uses it in turn on two threads, and again within a call
///
/// The exit status is 7 when the library said nothing against it.

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { wanted_exit = 7, elements = 100 };

static spoc_vector make_vector(void* host, const spoc_owner* owner) {
    spoc_vector vector = NULL;
    EXPECT_OK(spoc_vector_create_over(SPOC_KIND_INT32, 4, elements, host, owner, &vector, &error));
    return vector;
}

static void do_nothing(const spoc_native_block* block, void* const* args) {
    (void)block;
    (void)args;
}

/// A program and one of its kernels.
static void make_kernel(spoc_device device) {
    static const spoc_native_kernel nothing = {
        .magic = SPOC_NATIVE_KERNEL_MAGIC, .size = sizeof nothing, .run = do_nothing};
    EXPECT_OK(spoc_native_kernel_add(device, "nothing", &nothing, &error));
    spoc_program program = NULL;
    EXPECT_OK(spoc_program_load(device, SPOC_FORMAT_NATIVE_SYMBOL, "", 0, NULL, &program, &error));
    spoc_kernel kernel = NULL;
    EXPECT_OK(spoc_kernel_get(program, "nothing", NULL, &kernel, &error));
}

/// One object of each kind, which the program keeps; two of the first.
static void make_objects(spoc_device device) {
    static int32_t numbers[elements];
    spoc_buffer buffer = NULL;
    EXPECT_OK(spoc_buffer_create(device, 1000, &buffer, &error));
    EXPECT_OK(spoc_buffer_create(device, 24, &buffer, &error));
    spoc_stream stream = NULL;
    EXPECT_OK(spoc_stream_create(device, NULL, &stream, &error));
    spoc_event event = NULL;
    EXPECT_OK(spoc_event_create(device, 0, &event, &error));
    spoc_host_memory memory = NULL;
    EXPECT_OK(spoc_host_memory_allocate(device, 4096, &memory, &error));
    EXPECT_OK(spoc_host_memory_register(device, numbers, sizeof numbers, 0, NULL, &memory, &error));
    (void)make_vector(numbers, NULL);
    make_kernel(device);
}

static void make_and_give_back(spoc_device device) {
    int32_t numbers[elements] = {0};
    const spoc_vector vector = make_vector(numbers, NULL);
    EXPECT_OK(spoc_vector_to_device(vector, device, &error));
    spoc_vector_destroy(vector);
    spoc_buffer buffer = NULL;
    EXPECT_OK(spoc_buffer_create(device, 1000, &buffer, &error));
    EXPECT_OK(spoc_buffer_free(buffer, &error));
    EXPECT_OK(spoc_buffer_destroy(buffer, &error));
}

static void* describe(void* vector) {
    spoc_vector_info info = {.size = sizeof info};
    EXPECT_OK(spoc_vector_describe((spoc_vector)vector, &info, &error));
    return NULL;
}

static void describe_on_another_thread(void* vector) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, describe, vector) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void describe_here(void* vector) { (void)describe(vector); }

/// Calls `use` in the middle of a call that uses the same vector: when that gives back what was
/// lent to it.
static void use_within_a_call(spoc_device device, void (*use)(void*)) {
    int32_t numbers[elements] = {0};
    const spoc_vector vector = make_vector(numbers, NULL);
    EXPECT_OK(spoc_vector_to_device(vector, device, &error));
    const spoc_owner owner = {.release = use, .context = vector};
    EXPECT_OK(spoc_vector_write_range(vector, 0, numbers, 4, NULL, &owner, &error));
    describe_on_another_thread(vector);
    spoc_vector_destroy(vector);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    const char* way = argv[1];
    EXPECT_OK(spoc_init(NULL, &error));
    if (strcmp(way, "forked") == 0) {
        int32_t numbers[elements];
        const spoc_vector shared = make_vector(numbers, NULL);
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            exit(wanted_exit);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == wanted_exit);
        spoc_vector_destroy(shared);
    }
    const spoc_device device = first_device();
    if (strcmp(way, "two_threads") == 0) {
        use_within_a_call(device, describe_on_another_thread);
    } else if (strcmp(way, "one_thread") == 0) {
        use_within_a_call(device, describe_here);
    } else if (strcmp(way, "tidy") == 0) {
        make_and_give_back(device);
    } else {
        make_objects(device);
    }
    if (strcmp(way, "untidy_at_exit") != 0 && strcmp(way, "forked") != 0) {
        EXPECT_OK(spoc_shutdown(&error));
    }
    return wanted_exit;
}
