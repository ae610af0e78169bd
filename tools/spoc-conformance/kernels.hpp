// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <spoc/backend.h>

#include "device.hpp"
#include "program_form.hpp"

namespace spoc::conformance {

using extent = std::array<std::uint32_t, 3>;

/// `wanted`, or as much of it as a block of this kernel can have on the device. A limit that is not
/// known is all-ones, and above every wish.
extent allowed_block(const device& dev, const spoc_be_kernel_info& info, extent wanted);

/// A request to load the bytes, which must stay alive.
spoc_be_program_desc program_request(const program_form& form, const std::string& bytes);

/// Loads and gets, failing the case when the entries do not answer OK. The caller ends what it
/// gets.
spoc_be_program load_program(device& dev, const program_form& form, known_kernel kernel);
spoc_be_kernel get_kernel(device& dev, spoc_be_program program, const program_form& form,
                          known_kernel kernel, const extent& block = {},
                          std::span<const spoc_be_constant> constants = {});
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

    /// With the block `wanted`, as far as the device allows it, or with the one that the program
    /// fixes.
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

/// The values as they lie in memory.
template <typename Value>
byte_vector bytes_of(const std::vector<Value>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

template <typename Value>
std::vector<Value> values_of(std::span<const std::byte> bytes) {
    std::vector<Value> values(bytes.size() / sizeof(Value));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
    }
    return values;
}

inline std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes) {
    return values_of<std::uint32_t>(bytes);
}

}  // namespace spoc::conformance
