// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <spoc/native.h>

#include "check.hpp"
#include "kernel_text.hpp"
#include "suite_data.hpp"

extern "C" {
extern const spoc_native_kernel spoc_native_kernel_scale;
extern const spoc_native_kernel spoc_native_kernel_spin;
extern const spoc_native_kernel spoc_native_kernel_who;
extern const spoc_native_kernel spoc_native_kernel_wide;
extern const spoc_native_kernel spoc_native_kernel_mirror_local;
extern const spoc_native_kernel spoc_native_kernel_mirror_shared;
}

namespace spoc::conformance {
namespace {

using kernel_list = std::vector<known_kernel>;

struct kernel_row {
    known_kernel kernel;
    const char* name;
    const spoc_native_kernel* native;
    std::string_view (*glsl)();
    std::string_view (*spirv)();
};

constexpr kernel_row rows[] = {
    {known_kernel::scale, "scale", &spoc_native_kernel_scale, kernel_text::glsl_scale,
     kernel_text::spirv_scale},
    {known_kernel::spin, "spin", &spoc_native_kernel_spin, kernel_text::glsl_spin,
     kernel_text::spirv_spin},
    {known_kernel::who, "who", &spoc_native_kernel_who, kernel_text::glsl_who,
     kernel_text::spirv_who},
    {known_kernel::wide, "wide", &spoc_native_kernel_wide, kernel_text::glsl_wide,
     kernel_text::spirv_wide},
    {known_kernel::mirror_local, "mirror_local", &spoc_native_kernel_mirror_local, nullptr,
     nullptr},
    {known_kernel::mirror_shared, "mirror_shared", &spoc_native_kernel_mirror_shared, nullptr,
     nullptr},
};

const kernel_row& row_of(known_kernel kernel) {
    return *std::find_if(std::begin(rows), std::end(rows),
                         [kernel](const kernel_row& row) { return row.kernel == kernel; });
}

std::vector<program_form> make_forms() {
    using enum known_kernel;
    const kernel_list common{scale, spin, who, wide};
    const kernel_list with_local{scale, spin, who, wide, mirror_local};
    const kernel_list with_shared{scale, spin, who, wide, mirror_shared};
    const kernel_list every{scale, spin, who, wide, mirror_local, mirror_shared};
    const bool has_spirv = !kernel_text::spirv_scale().empty();
    return {
        {SPOC_BE_FORMAT_NATIVE_SYMBOL, "native_symbol_file", false, false, every, nullptr},
        {SPOC_BE_FORMAT_NATIVE_SYMBOL, "native_symbol", false, false, every, nullptr},
        {SPOC_BE_FORMAT_CUDA_C, "cuda_c", true, false, with_shared, nullptr},
        {SPOC_BE_FORMAT_HIP_C, "hip_c", true, false, with_shared, nullptr},
        {SPOC_BE_FORMAT_OPENCL_C, "opencl_c", true, false, with_local, nullptr},
        {SPOC_BE_FORMAT_MSL, "msl", true, false, with_local, nullptr},
        {SPOC_BE_FORMAT_SPIRV_SHADER, "spirv_shader", false, true,
         has_spirv ? common : kernel_list{},
         "This build of the suite holds no SPIR-V: its compiler was not there."},
        {SPOC_BE_FORMAT_GLSL, "glsl", true, true, common, nullptr},
        {SPOC_BE_FORMAT_PTX, "ptx", true, false, {scale, spin, who}, nullptr},
        {SPOC_BE_FORMAT_SPIRV_KERNEL,
         "spirv_kernel",
         false,
         false,
         {},
         "The suite has no kernels in SPIR-V with the Kernel capability."},
        {SPOC_BE_FORMAT_CUDA_BINARY,
         "cuda_binary",
         false,
         false,
         {},
         "The suite has no CUDA binaries: each serves one kind of device."},
        {SPOC_BE_FORMAT_HIP_BINARY,
         "hip_binary",
         false,
         false,
         {},
         "The suite has no HIP binaries: each serves one kind of device."},
        {SPOC_BE_FORMAT_METALLIB, "metallib", false, false, {}, "The suite has no Metal library."},
        {SPOC_BE_FORMAT_WGSL,
         "wgsl",
         true,
         false,
         {},
         "The suite has no kernels in WGSL: version 1 does not say how a scalar reaches one."},
        {SPOC_BE_FORMAT_DRIVER_BINARY,
         "driver_binary",
         false,
         false,
         {},
         "A driver's own binary comes from the device; program/binary_round_trip tries it."},
    };
}

/// Adds the kernels that are built into this program to those of the plugin.
void add_native_kernels(const device& dev) {
    const void* found = nullptr;
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.get_interface(SPOC_NATIVE_KERNELS_INTERFACE,
                                                     sizeof(spoc_native_kernels), &found, &error);
    if (status == SPOC_BE_UNSUPPORTED) {
        skip("The plugin has no interface \"" SPOC_NATIVE_KERNELS_INTERFACE
             "\" for kernels that are built into the program.");
    }
    expect_status(SPOC_BE_OK, status, "get_interface", error);
    const auto& kernels = *static_cast<const spoc_native_kernels*>(found);
    for (const kernel_row& row : rows) {
        expect_status(SPOC_BE_OK, kernels.add(row.name, row.native, &error), "native.kernels.add",
                      error);
    }
}

bool is_in_process(const program_form& form) {
    return std::string_view(form.name) == "native_symbol";
}

spoc_be_param declared(std::uint32_t index, std::uint32_t kind, std::uint32_t element,
                       std::uint32_t bytes, std::uint32_t access) {
    spoc_be_param param{};
    param.index = index;
    param.kind = kind;
    param.access = access;
    param.element = element;
    param.bytes = bytes;
    param.set = SPOC_BE_UNKNOWN_32;
    param.binding = SPOC_BE_UNKNOWN_32;
    param.offset = SPOC_BE_UNKNOWN_32;
    return param;
}

}  // namespace

const std::vector<program_form>& program_forms() {
    static const std::vector<program_form> forms = make_forms();
    return forms;
}

bool has(const program_form& form, known_kernel kernel) {
    return std::find(form.kernels.begin(), form.kernels.end(), kernel) != form.kernels.end();
}

bool takes(const device& dev, const program_form& form) {
    return (dev.info.formats >> form.format & 1U) != 0;
}

void need(const device& dev, const program_form& form, known_kernel kernel) {
    if (dev.be.program_load == nullptr) {
        skip("The plugin loads no programs.");
    }
    if (!takes(dev, form)) {
        skip("The device takes no programs in the form ", form.name, ".");
    }
    if (form.kernels.empty()) {
        skip(form.absence);
    }
    if (!has(form, kernel)) {
        skip("The suite has no kernel \"", row_of(kernel).name, "\" in the form ", form.name, ".");
    }
}

std::string program_bytes(device& dev, const program_form& form, known_kernel kernel) {
    const kernel_row& row = row_of(kernel);
    switch (form.format) {
        case SPOC_BE_FORMAT_NATIVE_SYMBOL:
            if (is_in_process(form)) {
                add_native_kernels(dev);
                return {};
            }
            return suite_file("native_kernels.so");
        case SPOC_BE_FORMAT_OPENCL_C:
            return std::string(kernel_text::opencl_c());
        case SPOC_BE_FORMAT_CUDA_C:
        case SPOC_BE_FORMAT_HIP_C:
            return std::string(kernel_text::cuda_c());
        case SPOC_BE_FORMAT_PTX:
            return std::string(kernel_text::ptx());
        case SPOC_BE_FORMAT_MSL:
            return std::string(kernel_text::msl());
        case SPOC_BE_FORMAT_GLSL:
            return std::string(row.glsl());
        case SPOC_BE_FORMAT_SPIRV_SHADER:
            return std::string(row.spirv());
        default:
            skip(form.absence);
    }
}

const char* entry_point(const program_form& form, known_kernel kernel) {
    return form.one_each ? "main" : row_of(kernel).name;
}

std::span<const spoc_be_param> declared_params(known_kernel kernel) {
    constexpr std::uint32_t word = sizeof(std::uint32_t);
    const auto buffer = [](std::uint32_t index, std::uint32_t access) {
        return declared(index, SPOC_BE_PARAM_BUFFER, SPOC_BE_ELEMENT_I32, word, access);
    };
    const auto scalar = [](std::uint32_t index, std::uint32_t element, std::uint32_t bytes) {
        return declared(index, SPOC_BE_PARAM_SCALAR, element, bytes, SPOC_BE_ACCESS_READ);
    };
    static const std::array scale{buffer(0, SPOC_BE_ACCESS_READ), buffer(1, SPOC_BE_ACCESS_WRITE),
                                  scalar(2, SPOC_BE_ELEMENT_I32, word),
                                  scalar(3, SPOC_BE_ELEMENT_I32, word)};
    static const std::array spin{buffer(0, SPOC_BE_ACCESS_WRITE),
                                 scalar(1, SPOC_BE_ELEMENT_I32, word),
                                 scalar(2, SPOC_BE_ELEMENT_I32, word)};
    static const std::array out{buffer(0, SPOC_BE_ACCESS_READ_WRITE)};
    static const std::array wide{buffer(0, SPOC_BE_ACCESS_WRITE),
                                 scalar(1, SPOC_BE_ELEMENT_I64, 2 * word),
                                 scalar(2, SPOC_BE_ELEMENT_RECORD, 3 * word)};
    static const std::array local{
        buffer(0, SPOC_BE_ACCESS_WRITE),
        declared(1, SPOC_BE_PARAM_LOCAL, SPOC_BE_ELEMENT_I32, word, SPOC_BE_ACCESS_READ_WRITE)};
    switch (kernel) {
        case known_kernel::scale:
            return scale;
        case known_kernel::spin:
            return spin;
        case known_kernel::wide:
            return wide;
        case known_kernel::mirror_local:
            return local;
        case known_kernel::who:
        case known_kernel::mirror_shared:
            return out;
    }
    return {};
}

spoc_be_program_desc program_request(const program_form& form, const std::string& bytes) {
    auto desc = sized<spoc_be_program_desc>();
    desc.format = std::uint64_t{1} << form.format;
    desc.data = bytes.empty() ? nullptr : bytes.data();
    desc.bytes = bytes.size();
    return desc;
}

spoc_be_program load_program(device& dev, const program_form& form, known_kernel kernel) {
    const std::string bytes = program_bytes(dev, form, kernel);
    spoc_be_program_desc desc = program_request(form, bytes);
    std::vector<char> log(4096);
    desc.log = log.data();
    desc.log_capacity = log.size();
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.program_load(dev.handle, &desc, &program, &error);
    if (status == SPOC_BE_COMPILE) {
        log.back() = '\0';
        fail("program_load refused the suite's own program in the form ", form.name, ": ",
             error_text(error), " Its log: ", log.data());
    }
    expect_status(SPOC_BE_OK, status, "program_load", error);
    require(program != nullptr, "program_load answered OK without a program.");
    return program;
}

spoc_be_kernel get_kernel(device& dev, spoc_be_program program, const program_form& form,
                          known_kernel kernel, const extent& block) {
    auto desc = sized<spoc_be_kernel_desc>();
    desc.name = entry_point(form, kernel);
    const std::span<const spoc_be_param> params = declared_params(kernel);
    desc.params = params.data();
    desc.param_count = static_cast<std::uint32_t>(params.size());
    std::copy(block.begin(), block.end(), std::begin(desc.block));
    spoc_be_kernel got = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.kernel_get(program, &desc, &got, &error), "kernel_get", error);
    require(got != nullptr, "kernel_get answered OK without a kernel.");
    return got;
}

spoc_be_kernel_info kernel_info(const device& dev, spoc_be_kernel kernel) {
    auto info = sized<spoc_be_kernel_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.kernel_info(kernel, &info, &error), "kernel_info", error);
    require(info.size == sizeof info, "kernel_info changed the size in its record to ", info.size,
            ".");
    return info;
}

void destroy(const device& dev, spoc_be_program program) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.program_destroy(program, &error), "program_destroy", error);
}

void destroy(const device& dev, spoc_be_kernel kernel) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.kernel_destroy(kernel, &error), "kernel_destroy", error);
}

kernel_set kernel_set::with(device& dev, known_kernel kernel) {
    if (dev.be.program_load == nullptr || dev.be.launch == nullptr) {
        skip("The plugin offers no launches.");
    }
    for (const program_form& form : program_forms()) {
        if (takes(dev, form) && has(form, kernel)) {
            return {dev, form};
        }
    }
    skip("The suite has no kernel \"", row_of(kernel).name,
         "\" in a format that the device takes.");
}

spoc_be_program kernel_set::program_for(known_kernel kernel) {
    const known_kernel key = form_.one_each ? kernel : known_kernel::scale;
    const auto known = programs_.find(key);
    if (known != programs_.end()) {
        return known->second;
    }
    const spoc_be_program program = load_program(dev_, form_, kernel);
    dev_.at_end([&dev = dev_, program] { destroy(dev, program); });
    return programs_[key] = program;
}

ready_kernel kernel_set::get(known_kernel kernel, const extent& wanted) {
    const spoc_be_program program = program_for(kernel);
    spoc_be_kernel got = get_kernel(dev_, program, form_, kernel);
    spoc_be_kernel_info info = kernel_info(dev_, got);
    const bool is_fixed = info.fixed_block[0] != 0;
    if (!is_fixed && !dev_.can(SPOC_BE_CAP_FREE_BLOCK)) {
        // The block has to be said before the kernel is made.
        destroy(dev_, got);
        got = get_kernel(dev_, program, form_, kernel, wanted);
    }
    dev_.at_end([&dev = dev_, got] { destroy(dev, got); });
    if (is_fixed) {
        return {got, {info.fixed_block[0], info.fixed_block[1], info.fixed_block[2]}};
    }
    return {got, wanted};
}

std::uint32_t spun(std::uint32_t seed, std::uint32_t rounds) {
    std::uint32_t value = seed;
    for (std::uint32_t i = 0; i < rounds; ++i) {
        value = value * 1664525U + 1013904223U;
        value ^= value >> 13U;
    }
    return value;
}

byte_vector scaled(std::span<const std::byte> in, std::uint32_t factor) {
    std::vector<std::uint32_t> words = words_of(in);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        words[i] = words[i] * factor + i;
    }
    return bytes_of(words);
}

byte_vector bytes_of(std::span<const std::uint32_t> words) {
    const auto bytes = std::as_bytes(words);
    return {bytes.begin(), bytes.end()};
}

std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes) {
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    if (!words.empty()) {
        std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
    }
    return words;
}

}  // namespace spoc::conformance
