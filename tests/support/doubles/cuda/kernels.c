/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the conformance suite that the native device has no use for, for the double of a
 * device that has. */
#include <stdint.h>

#include <spoc/native.h>

enum { warp = 32 };

static const spoc_be_param subgroup_sum_params[] = {
    {.index = 0, .kind = SPOC_BE_PARAM_BUFFER, .access = SPOC_BE_ACCESS_WRITE}};

static uint32_t sum_of_places(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += first + i;
    }
    return sum;
}

static void subgroup_sum(const spoc_native_block* block, void* const* args) {
    const uint32_t threads = block->block[0];
    for (uint32_t thread = 0; thread < threads; ++thread) {
        uint32_t* said = (uint32_t*)args[0] + 4 * (block->index[0] * threads + thread);
        const uint32_t first = thread / warp * warp;
        said[0] = thread / warp;
        said[1] = thread % warp;
        said[2] = warp;
        said[3] = sum_of_places(first, warp);
    }
}

SPOC_NATIVE_KERNEL(subgroup_sum, subgroup_sum_params, 1);
