/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object with a kernel, and with symbols that are named like kernels and are none. */
#include <spoc/native.h>

static const spoc_be_param scale_params[] = {
    {0, SPOC_BE_PARAM_BUFFER, SPOC_BE_ACCESS_READ_WRITE, SPOC_BE_ELEMENT_F32, 4, ~0u, ~0u, ~0u, 0,
     0, "data"},
    {1, SPOC_BE_PARAM_SCALAR, SPOC_BE_ACCESS_READ, SPOC_BE_ELEMENT_F32, 4, ~0u, ~0u, ~0u, 0, 0,
     "factor"},
};

static void scale(const spoc_native_block* block, void* const* args) {
    float* data = args[0];
    const float factor = *(const float*)args[1];
    const uint32_t first = block->index[0] * block->block[0];
    for (uint32_t i = first; i < first + block->block[0]; ++i) {
        data[i] *= factor;
    }
}
SPOC_NATIVE_KERNEL(scale, scale_params, 2);

/* Parameters in the wrong order. */
static const spoc_be_param disordered_params[] = {
    {1, SPOC_BE_PARAM_SCALAR, SPOC_BE_ACCESS_READ, SPOC_BE_ELEMENT_F32, 4, ~0u, ~0u, ~0u, 0, 0, ""},
};
static void disordered(const spoc_native_block* block, void* const* args) {
    (void)block;
    (void)args;
}
SPOC_NATIVE_KERNEL(disordered, disordered_params, 1);

/* Data that is shorter than a description, data without its magic number, and a function.
 * AddressSanitizer of clang counts its red zone into the size of a symbol, which then no longer
 * says that the data is too short. */
#if defined(__clang__)
__attribute__((no_sanitize("address")))
#endif
SPOC_BE_EXPORT const char spoc_native_kernel_short[1] = {1};
SPOC_BE_EXPORT const uint64_t spoc_native_kernel_foreign[16] = {1};
SPOC_BE_EXPORT void spoc_native_kernel_function(void);
void spoc_native_kernel_function(void) {}
