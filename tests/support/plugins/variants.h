/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIXTURE_VARIANTS_H
#define FIXTURE_VARIANTS_H

/// \file
/// What sets the variants of plugin.c apart, except for what they do when they are probed
/// (on_probe.h). meson.build defines one of these macros for each.

#include <spoc/backend.h>

/// What `probe` was called with; the report and the error are whole records of our own.
typedef struct probe_call {
    const spoc_be_host* host;
    uint32_t level;
    spoc_be_probe_report* report;
    spoc_be_error* error;
} probe_call;

/* The note and the table's header are made of macros of the contract that are looked up where they
   are used, so that another value here makes a plugin of another version or another build. */

#ifndef NOTE_NAME
#define NOTE_NAME PLUGIN_NAME
#endif

#ifdef OTHER_MAJOR
#undef SPOC_BE_ABI_MAJOR
#define SPOC_BE_ABI_MAJOR OTHER_MAJOR
#endif

#ifdef OTHER_FLAVOUR
#undef SPOC_BE_BUILD_DEBUG
#define SPOC_BE_BUILD_DEBUG OTHER_FLAVOUR
#endif

#ifdef NO_NOTE
#undef SPOC_BE_EMIT_NOTE
#define SPOC_BE_EMIT_NOTE(name_text, version_text)
#endif

#ifdef DROPS_LAST_BYTE
#define DROPPED_BYTES 1
#else
#define DROPPED_BYTES 0
#endif

/// Gives each device the same UUID, in variants whose devices are one card seen twice.
static void identify(spoc_be_device_info* info) {
#ifdef SHARED_UUID
    static const uint8_t uuid[16] = {0xfe, 0xed, 0xfa, 0xce, 0x01, 0x23, 0x45, 0x67,
                                     0x89, 0xab, 0xcd, 0xef, 0xc0, 0xff, 0xee, 0x07};
    memcpy(info->uuid, uuid, sizeof uuid);
    info->flags |= SPOC_BE_DEVICE_HAS_UUID;
#endif
    (void)info;
}

/// Changes what a copy to the host brought. Small copies are left alone, so that self-tests pass.
static void spoil(void* host, size_t bytes) {
#ifdef CORRUPTS_LARGE_READS
    if (bytes >= (size_t)1 << 20) {
        ((unsigned char*)host)[bytes / 2] ^= 1;
    }
#endif
    (void)host;
    (void)bytes;
}

/// Whether this copy fails: every one after the first 16, in variants whose device breaks down.
static bool copy_fails(void) {
#ifdef FAILING_COPY
    static atomic_uint copies;
    return atomic_fetch_add(&copies, 1) >= 16;
#else
#define FAILING_COPY SPOC_BE_OK
    return false;
#endif
}

#ifdef VARIABLE_TABLE
static void claim_capabilities(spoc_be_device_info* info);
#else
static void claim_capabilities(spoc_be_device_info* info) { (void)info; }
#endif

#endif /* FIXTURE_VARIANTS_H */
