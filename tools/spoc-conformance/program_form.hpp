// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <spoc/backend.h>

#include "device.hpp"

namespace spoc::conformance {

/// Kernels of the suite's own. Each means the same in every form that has it; buffers come before
/// scalars, so that every driver counts the parameters alike.
enum class known_kernel {
    /// (in, out, u32 factor, u32 count): out[i] = in[i] * factor + i for i < count, along x.
    scale,
    /// (out, u32 seed, u32 rounds): out[0] = `spun(seed, rounds)`, by the first thread alone.
    spin,
    /// (out): each thread fills its own 16 words with its place: the thread's in the grid, the
    /// block's, the thread's in the block, blocks of the grid, threads of a block (x, y, z each),
    /// and adds 1 to the last word.
    who,
    /// (out, u64 value, {u32 a, b, c}): out[0..4] = low word, high word, a, b, c.
    wide,
    /// (out, LOCAL u32 scratch): out[i] = number of the thread that is i's mirror image in its
    /// block, by way of `scratch`, along x.
    mirror_local,
    /// (out): the same by way of dynamic shared memory.
    mirror_shared,

    // Those below need what not every device has, and each is in a program of its own. Every thread
    // has an i of its own, along x, and there is no count.

    /// (in, out): out[i] = in[i] * 1.5 + i in 64-bit floating point.
    scale_fp64,
    /// (in, out): the same words with two 16-bit floats each: every one * 1.5 + 0.25.
    scale_fp16,
    /// (in, out): out[i] = in[i] * 0x9E3779B97F4A7C15 + i in 64-bit integers.
    scale_int64,
    /// (total, tickets): tickets[i] = the total before 1 was added to it, in one step.
    tickets32,
    /// (total, tickets): the same with 64-bit integers.
    tickets64,
    /// (out): each thread fills its own 4 words: the number of its subgroup in the block, its place
    /// there, the sum of 1 and the sum of threads' numbers in the block, over the subgroup.
    subgroup_sum,
    /// (out, u64 address): out[i] = word i at the address, which then becomes i.
    through_address,
    /// (out): out[0..1] = the constants 1 and 2, u32 each, by the first thread alone.
    constants,
};

/// A way in which programs come: a format, and for NATIVE_SYMBOL the two ways it has.
struct program_form {
    std::uint32_t format;               ///< `SPOC_BE_FORMAT_*`
    const char* name;                   ///< "opencl_c": as in the names of cases
    bool is_source;                     ///< text that the plugin compiles
    bool one_each;                      ///< a program holds one kernel, called "main"
    std::vector<known_kernel> kernels;  ///< that the suite has; none: see `absence`
    const char* absence;                ///< why there are none, one sentence; or null
};

/// Every format of the contract, in the order in which the suite prefers them.
const std::vector<program_form>& program_forms();

const char* name_of(known_kernel kernel);

bool has(const program_form& form, known_kernel kernel);

/// Whether both kernels come with the same program.
bool share_program(const program_form& form, known_kernel one, known_kernel other);

/// Whether the device takes programs of the form's format.
bool takes(const device& dev, const program_form& form);

/// Skips the case unless the plugin loads programs, the device takes the form, and the suite has
/// `kernel` in it.
void need(const device& dev, const program_form& form, known_kernel kernel = known_kernel::scale);

/// The bytes that `program_load` takes to get at `kernel`; empty where the form takes none.
std::string program_bytes(device& dev, const program_form& form, known_kernel kernel);

/// The options that the program needs. Where there are several, a compiler takes one of them, and
/// which depends on its version; null is none.
std::span<const char* const> program_options(const program_form& form, known_kernel kernel);

/// The name to give to `kernel_get`.
const char* entry_point(const program_form& form, known_kernel kernel);

/// What a caller declares of the parameters where reflection is silent.
std::span<const spoc_be_param> declared_params(known_kernel kernel);

}  // namespace spoc::conformance
