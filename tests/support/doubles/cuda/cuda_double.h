/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_CUDA_DOUBLE_H
#define SPOC_CUDA_DOUBLE_H

/// \file
/// What a test tells the double of the CUDA driver (`libcuda.so.1` of tests/support/doubles/cuda).
///
/// The double keeps device memory in host memory and runs each stream's work on threads of its own,
/// in the order of the stream and of the legacy stream. It answers as the driver does; where it was
/// seen on a card what that is, the row is in tests/unit/cuda/driver_facts.txt. Kernels are C
/// functions of the conformance suite, found by their names in PTX.
///
/// From the environment, read at `cuInit`: `CUDA_DOUBLE_DEVICES` (how many, 1),
/// `CUDA_DOUBLE_MEMORY` (bytes of each, 256 MiB), `CUDA_DOUBLE_VERSION` (13000), `CUDA_DOUBLE_INIT`
/// (what `cuInit` returns, 0), `CUDA_DOUBLE_WITHOUT` (names of functions that it lacks, with commas
/// between), `CUDA_DOUBLE_PIN_BUDGET` (bytes of page-locked memory in all, no limit), and
/// `CUDA_VISIBLE_DEVICES` as the driver reads it.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Found as the symbol `cuda_double_v1`. Any thread.
typedef struct cuda_double_control {
    /// From now on no work of any stream begins (1), or all goes on (0).
    void (*hold)(int on);
    /// Lets `count` pieces of held work run, oldest first, and returns how many ran.
    uint64_t (*release)(uint64_t count);
    /// Pieces of work that have not run.
    uint64_t (*pending)(void);
    /// Has the `nth` call from now (1: the next) of the function return `code` and do nothing.
    void (*fail)(const char* function, uint64_t nth, int32_t code);
    /// Calls of the function so far.
    uint64_t (*calls)(const char* function);
    /// Calls of all functions so far.
    uint64_t (*all_calls)(void);
    /// Device, host and stream objects that are alive: allocations, page-locked blocks,
    /// registrations, streams, events and modules.
    uint64_t (*alive)(void);
    /// Has every later call on the device fail with `code`, as after a kernel that wrote to a bad
    /// address.
    void (*poison)(int device, int32_t code);
} cuda_double_control;

#ifdef __cplusplus
}
#endif

#endif /* SPOC_CUDA_DOUBLE_H */
