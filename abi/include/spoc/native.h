/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_NATIVE_H
#define SPOC_NATIVE_H

/// \file
/// Kernels for the `native` backend, whose device is the host itself.
///
/// A kernel is a C function that runs one *block* of a launch and loops over the block's threads
/// itself, together with a description of its parameters. It reaches the backend in one of two
/// ways:
///
/// - **In-process**: `spoc_native_kernels.add` of the plugin's interface "native.kernels". A
/// program of format
///   `SPOC_BE_FORMAT_NATIVE_SYMBOL` without data sees every kernel added so far.
/// - **From a shared object**: `SPOC_NATIVE_KERNEL` exports the description under the kernel's
/// name. A program of the
///   same format whose data is the absolute path of that file (`bytes` long, no NUL needed) sees
///   its kernels.
///
///     static const spoc_be_param scale_params[] = {
///         {.index = 0,
///          .kind = SPOC_BE_PARAM_BUFFER,
///          .access = SPOC_BE_ACCESS_READ_WRITE,
///          .element = SPOC_BE_ELEMENT_F32,
///          .bytes = sizeof(float),
///          .name = "data"},
///         {.index = 1,
///          .kind = SPOC_BE_PARAM_SCALAR,
///          .access = SPOC_BE_ACCESS_READ,
///          .element = SPOC_BE_ELEMENT_F32,
///          .bytes = sizeof(float),
///          .name = "factor"},
///     };
///     static void scale(const spoc_native_block* block, void* const* args) { ... }
///     SPOC_NATIVE_KERNEL(scale, scale_params, 2);

#include <spoc/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

/// First eight bytes of a kernel description: "SPOCKERN" read as a little-endian number. It tells a
/// description from any other symbol of the same name.
#define SPOC_NATIVE_KERNEL_MAGIC UINT64_C(0x4E52454B434F5053)

/// Name of the interface for `spoc_be_table.get_interface`.
#define SPOC_NATIVE_KERNELS_INTERFACE "native.kernels"

/// Where in the launch a kernel function is.
typedef struct spoc_native_block {
    uint32_t size;          ///< of this structure
    uint32_t grid[3];       ///< blocks of the launch in x, y, z
    uint32_t block[3];      ///< threads of a block in x, y, z
    uint32_t index[3];      ///< this block's position in the grid
    uint32_t shared_bytes;  ///< bytes at `shared`
    uint32_t reserved;      ///< 0
    void* shared;  ///< scratch of this block alone, 64-byte aligned, contents undefined; null when
                   ///< `shared_bytes` is 0
} spoc_native_block;

/// Runs one block. `args` has one pointer a parameter, in index order: for a BUFFER the first byte
/// shown, for a SCALAR its bytes (suitably aligned up to 16), for a LOCAL scratch of this block
/// alone (64-byte aligned). Blocks of a launch run in any order and on several threads at once.
/// Must not throw, and must not call SPOC.
typedef void (*spoc_native_function)(const spoc_native_block* block, void* const* args);

/// A kernel and its parameters. Lives as long as the process.
typedef struct spoc_native_kernel {
    uint64_t magic;               ///< `SPOC_NATIVE_KERNEL_MAGIC`
    uint32_t size;                ///< of this structure
    uint32_t param_count;         ///< parameters at `params`
    const spoc_be_param* params;  ///< in index order without a gap; null when there are none
    spoc_native_function run;
} spoc_native_kernel;

/// The interface "native.kernels".
typedef struct spoc_native_kernels {
    uint32_t size;      ///< of this structure
    uint32_t reserved;  ///< 0

    /// Adds `kernel` under `name` for every program made without data from now on; both stay the
    /// caller's and must live as long as the process. Class S. Errors: INVALID when the description
    /// is malformed (magic, size, null function, parameters out of order or of kind OTHER); BUSY
    /// when the name is taken by another kernel. Adding the same description again is OK and does
    /// nothing.
    int32_t (*add)(const char* name, const spoc_native_kernel* kernel, spoc_be_error* error);
} spoc_native_kernels;

/// Exports the description of a kernel that is called what its function is called. Use at file
/// scope, in C or C++, after the function and its parameters.
#define SPOC_NATIVE_KERNEL(function, params, param_count)                                   \
    SPOC_BE_EXTERN_C SPOC_BE_EXPORT const spoc_native_kernel spoc_native_kernel_##function; \
    const spoc_native_kernel spoc_native_kernel_##function = {                              \
        SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel), (param_count), (params), (function)}

/// What stands before a kernel's name in the symbol that `SPOC_NATIVE_KERNEL` exports.
#define SPOC_NATIVE_KERNEL_PREFIX "spoc_native_kernel_"

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SPOC_NATIVE_H */
