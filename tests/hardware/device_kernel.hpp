// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <spoc/spoc.hpp>

/// \file
/// Kernels of the conformance suite's for programs that go through libspoc, in a form that the
/// device takes.

namespace spoc::test {

/// A loaded kernel with its program.
class device_kernel {
 public:
    /// out[i] = in[i] * factor + i for i below count: (in, out, factor, count), all of 32 bits.
    static std::optional<device_kernel> scale(const device& where);
    /// A chain of `rounds` steps from `seed`, its end in out[0]: (out, seed, rounds), all of 32
    /// bits. One thread works.
    static std::optional<device_kernel> spin(const device& where);
    /// out[i] = word i at address, which receives i: (out, address), one thread for each word.
    static std::optional<device_kernel> through_address(const device& where);

    const kernel& get() const noexcept { return kernel_; }

 private:
    device_kernel(program loaded, kernel got)
        : program_(std::move(loaded)), kernel_(std::move(got)) {}
    static std::optional<device_kernel> load(const device& where, const std::string& file,
                                             const std::string& name,
                                             std::vector<spoc_parameter> parameters);

    program program_;
    kernel kernel_;
};

/// What `scale` makes of one element.
constexpr std::uint32_t scaled(std::uint32_t value, std::uint32_t factor, std::uint32_t i) {
    return value * factor + i;
}
/// What `spin` makes of a seed.
std::uint32_t spun(std::uint32_t seed, std::uint32_t rounds);

}  // namespace spoc::test
