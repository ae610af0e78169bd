// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
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
};

using extent = std::array<std::uint32_t, 3>;

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

bool has(const program_form& form, known_kernel kernel);

/// Whether the device takes programs of the form's format.
bool takes(const device& dev, const program_form& form);

/// Skips the case unless the plugin loads programs, the device takes the form, and the suite has
/// `kernel` in it.
void need(const device& dev, const program_form& form, known_kernel kernel = known_kernel::scale);

/// The bytes that `program_load` takes to get at `kernel`; empty where the form takes none.
std::string program_bytes(device& dev, const program_form& form, known_kernel kernel);

/// The name to give to `kernel_get`.
const char* entry_point(const program_form& form, known_kernel kernel);

/// What a caller declares of the parameters where reflection is silent.
std::span<const spoc_be_param> declared_params(known_kernel kernel);

/// A request to load the bytes, which must stay alive.
spoc_be_program_desc program_request(const program_form& form, const std::string& bytes);

/// Loads and gets, failing the case when the entries do not answer OK. The caller ends what it
/// gets.
spoc_be_program load_program(device& dev, const program_form& form, known_kernel kernel);
spoc_be_kernel get_kernel(device& dev, spoc_be_program program, const program_form& form,
                          known_kernel kernel, const extent& block = {});
spoc_be_kernel_info kernel_info(const device& dev, spoc_be_kernel kernel);
void destroy(const device& dev, spoc_be_program program);
void destroy(const device& dev, spoc_be_kernel kernel);

/// A kernel and the block to launch it with.
struct ready_kernel {
    spoc_be_kernel handle = nullptr;
    extent block{};

    std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
    /// Blocks along x that `count` threads take.
    std::uint32_t blocks(std::uint64_t count) const {
        return static_cast<std::uint32_t>((count + block[0] - 1) / block[0]);
    }
};

/// The suite's kernels in one form, loaded when they are asked for; they live until the case ends.
class kernel_set {
 public:
    kernel_set(device& dev, const program_form& form) : dev_(dev), form_(form) {}

    /// Of the first form that the device takes and that has `kernel`. Skips the case when there is
    /// none.
    static kernel_set with(device& dev, known_kernel kernel);

    /// With the block `wanted`, or with the one that the program fixes.
    ready_kernel get(known_kernel kernel, const extent& wanted = {64, 1, 1});
    const program_form& form() const { return form_; }

 private:
    spoc_be_program program_for(known_kernel kernel);

    device& dev_;
    const program_form& form_;
    std::map<known_kernel, spoc_be_program> programs_;
};

/// What `spin` computes: a chain in which every step needs the one before.
std::uint32_t spun(std::uint32_t seed, std::uint32_t rounds);

/// What `scale` computes, for the words in `in`.
byte_vector scaled(std::span<const std::byte> in, std::uint32_t factor);

/// The words as they lie in memory.
byte_vector bytes_of(std::span<const std::uint32_t> words);
std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes);

}  // namespace spoc::conformance
