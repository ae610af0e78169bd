/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's kernels for devices that take NATIVE_SYMBOL: built into the program, and once more as
 * a shared object of their own. */
#include <stddef.h>
#include <stdint.h>

#include <spoc/native.h>

#include "native_param.h"

enum { axes = 3, words_of_a_thread = 16 };

static const spoc_be_param scale_params[] = {WORDS(0, SPOC_BE_ACCESS_READ),
                                             WORDS(1, SPOC_BE_ACCESS_WRITE),
                                             SCALAR(2, SPOC_BE_ELEMENT_I32, sizeof(uint32_t)),
                                             SCALAR(3, SPOC_BE_ELEMENT_I32, sizeof(uint32_t))};

static void scale(const spoc_native_block* block, void* const* args) {
    const uint32_t* in = (const uint32_t*)args[0];
    uint32_t* out = (uint32_t*)args[1];
    const uint32_t factor = *(const uint32_t*)args[2];
    const uint32_t count = *(const uint32_t*)args[3];
    for (uint32_t x = 0; x < block->block[0]; ++x) {
        const uint32_t i = block->index[0] * block->block[0] + x;
        if (i < count) {
            out[i] = in[i] * factor + i;
        }
    }
}

SPOC_NATIVE_KERNEL(scale, scale_params, 4);

static const spoc_be_param spin_params[] = {WORDS(0, SPOC_BE_ACCESS_WRITE),
                                            SCALAR(1, SPOC_BE_ELEMENT_I32, sizeof(uint32_t)),
                                            SCALAR(2, SPOC_BE_ELEMENT_I32, sizeof(uint32_t))};

static void spin(const spoc_native_block* block, void* const* args) {
    uint32_t value = *(const uint32_t*)args[1];
    const uint32_t rounds = *(const uint32_t*)args[2];
    if (block->index[0] != 0) {
        return;
    }
    for (uint32_t i = 0; i < rounds; ++i) {
        value = value * 1664525U + 1013904223U;
        value ^= value >> 13;
    }
    *(uint32_t*)args[0] = value;
}

SPOC_NATIVE_KERNEL(spin, spin_params, 3);

static const spoc_be_param who_params[] = {WORDS(0, SPOC_BE_ACCESS_WRITE)};

/* Copies one word for each axis, and returns what comes behind them. */
static uint32_t* put(uint32_t* out, const uint32_t words[axes]) {
    for (size_t axis = 0; axis < axes; ++axis) {
        out[axis] = words[axis];
    }
    return out + axes;
}

static void write_place(const spoc_native_block* block, const uint32_t local[axes], uint32_t* out) {
    uint32_t global[axes];
    for (size_t axis = 0; axis < axes; ++axis) {
        global[axis] = block->index[axis] * block->block[axis] + local[axis];
    }
    const uint32_t width = block->grid[0] * block->block[0];
    const uint32_t height = block->grid[1] * block->block[1];
    out += (size_t)words_of_a_thread * ((global[2] * height + global[1]) * width + global[0]);
    out = put(out, global);
    out = put(out, block->index);
    out = put(out, local);
    out = put(out, block->grid);
    out = put(out, block->block);
    *out += 1;
}

static void who(const spoc_native_block* block, void* const* args) {
    uint32_t local[axes];
    for (local[2] = 0; local[2] < block->block[2]; ++local[2]) {
        for (local[1] = 0; local[1] < block->block[1]; ++local[1]) {
            for (local[0] = 0; local[0] < block->block[0]; ++local[0]) {
                write_place(block, local, (uint32_t*)args[0]);
            }
        }
    }
}

SPOC_NATIVE_KERNEL(who, who_params, 1);

struct triple {
    uint32_t a;
    uint32_t b;
    uint32_t c;
};

static const spoc_be_param wide_params[] = {
    WORDS(0, SPOC_BE_ACCESS_WRITE), SCALAR(1, SPOC_BE_ELEMENT_I64, sizeof(uint64_t)),
    SCALAR(2, SPOC_BE_ELEMENT_RECORD, sizeof(struct triple))};

static void wide(const spoc_native_block* block, void* const* args) {
    uint32_t* out = (uint32_t*)args[0];
    const uint64_t value = *(const uint64_t*)args[1];
    const struct triple* three = (const struct triple*)args[2];
    if (block->index[0] != 0) {
        return;
    }
    out[0] = (uint32_t)value;
    out[1] = (uint32_t)(value >> 32);
    out[2] = three->a;
    out[3] = three->b;
    out[4] = three->c;
}

SPOC_NATIVE_KERNEL(wide, wide_params, 3);

/* Every thread leaves its number and takes that of its mirror image in the block. */
static void mirror(const spoc_native_block* block, uint32_t* out, uint32_t* scratch) {
    const uint32_t first = block->index[0] * block->block[0];
    const uint32_t threads = block->block[0];
    for (uint32_t x = 0; x < threads; ++x) {
        scratch[x] = first + x;
    }
    for (uint32_t x = 0; x < threads; ++x) {
        out[first + x] = scratch[threads - 1 - x];
    }
}

static const spoc_be_param mirror_local_params[] = {WORDS(0, SPOC_BE_ACCESS_WRITE), LOCAL(1)};

static void mirror_local(const spoc_native_block* block, void* const* args) {
    mirror(block, (uint32_t*)args[0], (uint32_t*)args[1]);
}

SPOC_NATIVE_KERNEL(mirror_local, mirror_local_params, 2);

static const spoc_be_param mirror_shared_params[] = {WORDS(0, SPOC_BE_ACCESS_WRITE)};

static void mirror_shared(const spoc_native_block* block, void* const* args) {
    mirror(block, (uint32_t*)args[0], (uint32_t*)block->shared);
}

SPOC_NATIVE_KERNEL(mirror_shared, mirror_shared_params, 1);
