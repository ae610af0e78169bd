// SPDX-License-Identifier: Apache-2.0
#include "device_kernel.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include <spoc/native.h>

#include "tools/spoc-conformance/kernel_text.hpp"

extern "C" {
extern const spoc_native_kernel spoc_native_kernel_scale;
extern const spoc_native_kernel spoc_native_kernel_spin;
extern const spoc_native_kernel spoc_native_kernel_through_address;
}

namespace spoc::test {
namespace {

namespace kernel_text = conformance::kernel_text;

constexpr std::uint32_t none = SPOC_BE_UNKNOWN_32;

spoc_parameter parameter(std::uint32_t index, std::uint32_t kind, std::uint32_t access,
                         std::uint32_t element, std::uint32_t bytes) {
    return {index, kind, access, element, bytes, none, none, none, 0, 0, ""};
}
spoc_parameter words(std::uint32_t index, std::uint32_t access) {
    return parameter(index, SPOC_PARAMETER_BUFFER, access, SPOC_ELEMENT_I32, 4);
}
spoc_parameter word(std::uint32_t index) {
    return parameter(index, SPOC_PARAMETER_SCALAR, SPOC_ACCESS_IN, SPOC_ELEMENT_I32, 4);
}

const spoc_native_kernel& native_kernel(std::string_view name) {
    return name == "scale"  ? spoc_native_kernel_scale
           : name == "spin" ? spoc_native_kernel_spin
                            : spoc_native_kernel_through_address;
}

/// A text in one of the languages: the name of its files' ending.
struct language {
    std::uint32_t format;
    std::string_view ending;
};
constexpr language languages[] = {
    {SPOC_FORMAT_PTX, ".ptx"},
    {SPOC_FORMAT_OPENCL_C, ".cl"},
    {SPOC_FORMAT_HIP_C, ".cu"},
    {SPOC_FORMAT_MSL, ".metal"},
};

bool takes(const device& where, std::uint32_t format) {
    return (where.properties().formats >> format & 1U) != 0;
}

}  // namespace

std::optional<device_kernel> device_kernel::load(const device& where, const std::string& file,
                                                 const std::string& name,
                                                 std::vector<spoc_parameter> parameters) {
    if (takes(where, SPOC_FORMAT_NATIVE_SYMBOL)) {
        add_native_kernel(where, name.c_str(), native_kernel(name));
        program loaded(where, SPOC_FORMAT_NATIVE_SYMBOL, "");
        kernel got(loaded, name);
        return device_kernel(std::move(loaded), std::move(got));
    }
    for (const language& one : languages) {
        const std::string_view text = kernel_text::file(file + std::string(one.ending));
        if (takes(where, one.format) && !text.empty()) {
            program loaded(where, one.format, text);
            kernel got(loaded, name, {.parameters = std::move(parameters)});
            return device_kernel(std::move(loaded), std::move(got));
        }
    }
    return std::nullopt;
}

std::optional<device_kernel> device_kernel::scale(const device& where) {
    return load(where, "kernels", "scale",
                {words(0, SPOC_ACCESS_IN), words(1, SPOC_ACCESS_OUT), word(2), word(3)});
}

std::optional<device_kernel> device_kernel::spin(const device& where) {
    return load(where, "kernels", "spin", {words(0, SPOC_ACCESS_OUT), word(1), word(2)});
}

std::optional<device_kernel> device_kernel::through_address(const device& where) {
    return load(where, "features/through_address", "through_address",
                {words(0, SPOC_ACCESS_OUT),
                 parameter(1, SPOC_PARAMETER_SCALAR, SPOC_ACCESS_IN, SPOC_ELEMENT_I64, 8)});
}

std::uint32_t spun(std::uint32_t seed, std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
        seed = seed * 1664525U + 1013904223U;
        seed ^= seed >> 13U;
    }
    return seed;
}

}  // namespace spoc::test
