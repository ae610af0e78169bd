/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's kernels for devices that take NATIVE_SYMBOL, of what not every device has. */
#include <stdint.h>
#include <string.h>

#include <spoc/native.h>

#include "native_param.h"

/* Number of the first thread of the block. */
static uint32_t first_thread(const spoc_native_block* block) {
    return block->index[0] * block->block[0];
}

static const spoc_be_param scale_fp64_params[] = {
    BUFFER(0, SPOC_BE_ACCESS_READ, SPOC_BE_ELEMENT_F64, sizeof(double)),
    BUFFER(1, SPOC_BE_ACCESS_WRITE, SPOC_BE_ELEMENT_F64, sizeof(double))};

static void scale_fp64(const spoc_native_block* block, void* const* args) {
    const uint32_t first = first_thread(block);
    const double* in = (const double*)args[0] + first;
    double* out = (double*)args[1] + first;
    for (uint32_t x = 0; x < block->block[0]; ++x) {
        out[x] = in[x] * 1.5 + (first + x);
    }
}

SPOC_NATIVE_KERNEL(scale_fp64, scale_fp64_params, 2);

#if SPOC_CONFORMANCE_NATIVE_FP16

static const spoc_be_param scale_fp16_params[] = {WORDS(0, SPOC_BE_ACCESS_READ),
                                                  WORDS(1, SPOC_BE_ACCESS_WRITE)};

__extension__ typedef _Float16 half;

static uint32_t scale_halves(uint32_t word) {
    half halves[2];
    memcpy(halves, &word, sizeof word);
    for (int i = 0; i < 2; ++i) {
        halves[i] = (half)(halves[i] * (half)1.5F + (half)0.25F);
    }
    memcpy(&word, halves, sizeof word);
    return word;
}

static void scale_fp16(const spoc_native_block* block, void* const* args) {
    const uint32_t first = first_thread(block);
    const uint32_t* in = (const uint32_t*)args[0] + first;
    uint32_t* out = (uint32_t*)args[1] + first;
    for (uint32_t x = 0; x < block->block[0]; ++x) {
        out[x] = scale_halves(in[x]);
    }
}

SPOC_NATIVE_KERNEL(scale_fp16, scale_fp16_params, 2);

#endif

static const spoc_be_param scale_int64_params[] = {
    BUFFER(0, SPOC_BE_ACCESS_READ, SPOC_BE_ELEMENT_I64, sizeof(uint64_t)),
    BUFFER(1, SPOC_BE_ACCESS_WRITE, SPOC_BE_ELEMENT_I64, sizeof(uint64_t))};

static void scale_int64(const spoc_native_block* block, void* const* args) {
    const uint32_t first = first_thread(block);
    const uint64_t* in = (const uint64_t*)args[0] + first;
    uint64_t* out = (uint64_t*)args[1] + first;
    for (uint32_t x = 0; x < block->block[0]; ++x) {
        out[x] = in[x] * UINT64_C(0x9E3779B97F4A7C15) + (first + x);
    }
}

SPOC_NATIVE_KERNEL(scale_int64, scale_int64_params, 2);

static const spoc_be_param tickets32_params[] = {WORDS(0, SPOC_BE_ACCESS_READ_WRITE),
                                                 WORDS(1, SPOC_BE_ACCESS_WRITE)};

static void tickets32(const spoc_native_block* block, void* const* args) {
    uint32_t* total = (uint32_t*)args[0];
    uint32_t* tickets = (uint32_t*)args[1] + first_thread(block);
    for (uint32_t x = 0; x < block->block[0]; ++x) {
        tickets[x] = __atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
    }
}

SPOC_NATIVE_KERNEL(tickets32, tickets32_params, 2);

static const spoc_be_param tickets64_params[] = {
    BUFFER(0, SPOC_BE_ACCESS_READ_WRITE, SPOC_BE_ELEMENT_I64, sizeof(uint64_t)),
    BUFFER(1, SPOC_BE_ACCESS_WRITE, SPOC_BE_ELEMENT_I64, sizeof(uint64_t))};

static void tickets64(const spoc_native_block* block, void* const* args) {
    uint64_t* total = (uint64_t*)args[0];
    uint64_t* tickets = (uint64_t*)args[1] + first_thread(block);
    for (uint32_t x = 0; x < block->block[0]; ++x) {
        tickets[x] = __atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
    }
}

SPOC_NATIVE_KERNEL(tickets64, tickets64_params, 2);

static const spoc_be_param through_address_params[] = {
    WORDS(0, SPOC_BE_ACCESS_WRITE), SCALAR(1, SPOC_BE_ELEMENT_I64, sizeof(uint64_t))};

static void through_address(const spoc_native_block* block, void* const* args) {
    const uint32_t first = first_thread(block);
    uint32_t* out = (uint32_t*)args[0];
    uint32_t* words = *(uint32_t* const*)args[1];
    for (uint32_t i = first; i < first + block->block[0]; ++i) {
        out[i] = words[i];
        words[i] = i;
    }
}

SPOC_NATIVE_KERNEL(through_address, through_address_params, 2);
