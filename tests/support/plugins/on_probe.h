/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// What the variants of plugin.c do when they are probed, beside what the good one does.

/// Level at which a variant that leaves the passive probe in peace starts.
static inline bool enumerating(const probe_call* call) {
    return call->level >= SPOC_BE_PROBE_ENUMERATE;
}

/// Not an empty loop: clang removes those.
static inline _Noreturn void sleep_for_ever(void) {
    for (;;) {
        pause();
    }
}

#if defined(PROBE_PRINTS)

static int32_t on_probe(const probe_call* call) {
    (void)call;
    return printf("The fixture prints.\n") > 0 && fflush(stdout) == 0 ? SPOC_BE_OK : SPOC_BE_DRIVER;
}

#elif defined(ENUMERATION_REGISTERS_ABORT)

static int32_t on_probe(const probe_call* call) {
    return !enumerating(call) || atexit(abort) == 0 ? SPOC_BE_OK : SPOC_BE_HOST_MEMORY;
}

#elif defined(PROBE_ABORTS)

static int32_t on_probe(const probe_call* call) {
    (void)call;
    abort();
}

#elif defined(PROBE_EXITS)

static int32_t on_probe(const probe_call* call) {
    (void)call;
    exit(0);
}

#elif defined(PROBE_HANGS) || defined(ENUMERATION_HANGS)

static int32_t on_probe(const probe_call* call) {
#ifdef ENUMERATION_HANGS
    if (!enumerating(call)) {
        return SPOC_BE_OK;
    }
#endif
    (void)call;
    sleep_for_ever();
}

#elif defined(ENUMERATION_EATS_MEMORY)

/// Stops by itself far above the limit that tests set, so that a test without one does not take the
/// machine down.
static int32_t on_probe(const probe_call* call) {
    const size_t block = (size_t)1 << 20;
    for (int i = 0; enumerating(call) && i < 4096; ++i) {
        /* Null is written through on purpose, as by a driver that never looks. */
        volatile char* memory = malloc(block);
        for (size_t at = 0; at < block; at += 4096) {
            memory[at] = 1;
        }
    }
    return SPOC_BE_OK;
}

#elif defined(PROBE_REFUSED)

/// FIXTURE_REASON changes the reason.
static int32_t on_probe(const probe_call* call) {
    const char* chosen = getenv("FIXTURE_REASON");
    const uint32_t reason =
        chosen == NULL ? SPOC_BE_REASON_NO_PERMISSION : (uint32_t)strtoul(chosen, NULL, 10);
    return fail_for_reason(call->error, SPOC_BE_UNAVAILABLE, reason,
                           "The fixture refuses to be used.");
}

#elif defined(PROBE_FAILS_WITHOUT_REASON)

static int32_t on_probe(const probe_call* call) {
    return fail(call->error, SPOC_BE_DRIVER, "The fixture's driver fails.");
}

#elif defined(PROBE_THROWS_AND_CATCHES)

extern int32_t throw_and_catch(void);

static int32_t on_probe(const probe_call* call) {
    return fail(call->error, throw_and_catch(), "The fixture caught an exception.");
}

#elif defined(PROBE_TERMINATES)

extern void throw_out_of_noexcept(void);

static int32_t on_probe(const probe_call* call) {
    (void)call;
    throw_out_of_noexcept();
    return SPOC_BE_OK;
}

#elif defined(PROBE_LETS_OUT)

extern void throw_out(void);
extern void throw_number_out(void);

static int32_t on_probe(const probe_call* call) {
    (void)call;
    PROBE_LETS_OUT();
    return SPOC_BE_OK;
}

#elif defined(ENUMERATION_LEAVES_CHILD)

/// Only in a helper process: a program of the user's would otherwise be the one that leaves the
/// child behind.
static int32_t on_probe(const probe_call* call) {
    if (enumerating(call) && strcmp(program_invocation_short_name, "spoc-probe") == 0 &&
        fork() == 0) {
        sleep_for_ever();
    }
    return SPOC_BE_OK;
}

#elif defined(ENUMERATION_STARTS_THREADS)

static void* thread_main(void* unused) {
    (void)unused;
    sleep_for_ever();
}

static int32_t on_probe(const probe_call* call) {
    pthread_t thread;
    for (uint32_t i = 0; enumerating(call) && i < 2; ++i) {
        if (pthread_create(&thread, NULL, thread_main, NULL) != 0 || pthread_detach(thread) != 0) {
            return fail(call->error, SPOC_BE_DRIVER, "The fixture cannot start a thread.");
        }
        call->report->threads_started = i + 1;
    }
    return SPOC_BE_OK;
}

#elif defined(PROBE_OPENS_LIBRARY)

/// The first of the libraries to try is never there. FIXTURE_LIBRARY is the second.
static int32_t on_probe(const probe_call* call) {
    const char* chosen = getenv("FIXTURE_LIBRARY");
    const char* const names[] = {"libfixture_driver.so.1",
                                 chosen != NULL ? chosen : "libfixture_driver.so.2", NULL};
    const spoc_be_host* host = call->host;
    if (!SPOC_HOST_HAS(host, vendor_open) || !SPOC_HOST_HAS(host, vendor_sym)) {
        return fail(call->error, SPOC_BE_INVALID, "The host offers no way to open a library.");
    }
    void* library = host->vendor_open(host->ctx, names, call->report->driver_path,
                                      sizeof call->report->driver_path, call->error);
    if (library == NULL) {
        return SPOC_BE_UNAVAILABLE;
    }
    if (host->vendor_sym(host->ctx, library, "cos") == NULL ||
        host->vendor_sym(host->ctx, library, "no_such") != NULL) {
        return fail_for_reason(call->error, SPOC_BE_UNAVAILABLE,
                               SPOC_BE_REASON_DRIVER_MISSING_SYMBOL,
                               "The library does not hold what the fixture needs.");
    }
    return SPOC_BE_OK;
}

#else

static int32_t on_probe(const probe_call* call) {
    (void)call;
    return SPOC_BE_OK;
}

#endif
