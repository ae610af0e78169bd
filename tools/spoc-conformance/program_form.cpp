// SPDX-License-Identifier: Apache-2.0
#include "program_form.hpp"

#include <algorithm>
#include <array>
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
extern const spoc_native_kernel spoc_native_kernel_scale_fp64;
#if SPOC_CONFORMANCE_NATIVE_FP16
extern const spoc_native_kernel spoc_native_kernel_scale_fp16;
#endif
extern const spoc_native_kernel spoc_native_kernel_scale_int64;
extern const spoc_native_kernel spoc_native_kernel_tickets32;
extern const spoc_native_kernel spoc_native_kernel_tickets64;
extern const spoc_native_kernel spoc_native_kernel_through_address;
}

namespace spoc::conformance {
namespace {

using kernel_list = std::vector<known_kernel>;

#if SPOC_CONFORMANCE_NATIVE_FP16
constexpr const spoc_native_kernel* native_scale_fp16 = &spoc_native_kernel_scale_fp16;
#else
constexpr const spoc_native_kernel* native_scale_fp16 = nullptr;
#endif

struct kernel_row {
    const char* name;
    const spoc_native_kernel* native;  ///< or null
    known_kernel kernel;
    bool is_feature;  ///< in a file of its own in kernels/features
};

constexpr kernel_row rows[] = {
    {"scale", &spoc_native_kernel_scale, known_kernel::scale, false},
    {"spin", &spoc_native_kernel_spin, known_kernel::spin, false},
    {"who", &spoc_native_kernel_who, known_kernel::who, false},
    {"wide", &spoc_native_kernel_wide, known_kernel::wide, false},
    {"mirror_local", &spoc_native_kernel_mirror_local, known_kernel::mirror_local, false},
    {"mirror_shared", &spoc_native_kernel_mirror_shared, known_kernel::mirror_shared, false},
    {"scale_fp64", &spoc_native_kernel_scale_fp64, known_kernel::scale_fp64, true},
    {"scale_fp16", native_scale_fp16, known_kernel::scale_fp16, true},
    {"scale_int64", &spoc_native_kernel_scale_int64, known_kernel::scale_int64, true},
    {"tickets32", &spoc_native_kernel_tickets32, known_kernel::tickets32, true},
    {"tickets64", &spoc_native_kernel_tickets64, known_kernel::tickets64, true},
    {"subgroup_sum", nullptr, known_kernel::subgroup_sum, true},
    {"through_address", &spoc_native_kernel_through_address, known_kernel::through_address, true},
    {"constants", nullptr, known_kernel::constants, true},
};

const kernel_row& row_of(known_kernel kernel) {
    return *std::find_if(std::begin(rows), std::end(rows),
                         [kernel](const kernel_row& row) { return row.kernel == kernel; });
}

/// What the names of a format's files in kernels/ end in, or null.
const char* suffix_of(std::uint32_t format) {
    switch (format) {
        case SPOC_BE_FORMAT_OPENCL_C:
            return ".cl";
        // The two agree as far as the kernels go.
        case SPOC_BE_FORMAT_CUDA_C:
        case SPOC_BE_FORMAT_HIP_C:
            return ".cu";
        case SPOC_BE_FORMAT_PTX:
            return ".ptx";
        case SPOC_BE_FORMAT_MSL:
            return ".metal";
        case SPOC_BE_FORMAT_GLSL:
            return ".comp";
        default:
            return nullptr;
    }
}

/// The program that holds the kernel; empty where the suite has none, or none that it carries
/// within itself.
std::string_view carried_program(const program_form& form, const kernel_row& row) {
    if (form.format == SPOC_BE_FORMAT_SPIRV_SHADER) {
        return kernel_text::spirv(row.name);
    }
    const char* suffix = suffix_of(form.format);
    if (suffix == nullptr) {
        return {};
    }
    const bool is_alone = row.is_feature || form.one_each;
    return kernel_text::file(
        text(row.is_feature ? "features/" : "", is_alone ? row.name : "kernels", suffix));
}

/// Of what not every device has, a form has what its language can say, so the files decide.
void add_features(program_form& form) {
    for (const kernel_row& row : rows) {
        const bool is_there = form.format == SPOC_BE_FORMAT_NATIVE_SYMBOL
                                  ? row.native != nullptr
                                  : !carried_program(form, row).empty();
        if (row.is_feature && is_there) {
            form.kernels.push_back(row.kernel);
        }
    }
}

std::vector<program_form> without_features() {
    using enum known_kernel;
    const kernel_list common{scale, spin, who, wide};
    const kernel_list with_local{scale, spin, who, wide, mirror_local};
    const kernel_list with_shared{scale, spin, who, wide, mirror_shared};
    const kernel_list every{scale, spin, who, wide, mirror_local, mirror_shared};
    const bool has_spirv = !kernel_text::spirv("scale").empty();
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
        {SPOC_BE_FORMAT_PTX, "ptx", true, false, with_shared, nullptr},
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

std::vector<program_form> make_forms() {
    std::vector<program_form> forms = without_features();
    std::for_each(forms.begin(), forms.end(), add_features);
    return forms;
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
        if (row.native != nullptr) {
            expect_status(SPOC_BE_OK, kernels.add(row.name, row.native, &error),
                          "native.kernels.add", error);
        }
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

constexpr std::uint32_t read = SPOC_BE_ACCESS_READ;
constexpr std::uint32_t write = SPOC_BE_ACCESS_WRITE;
constexpr std::uint32_t read_write = SPOC_BE_ACCESS_READ_WRITE;

spoc_be_param buffer(std::uint32_t index, std::uint32_t element, std::uint32_t bytes,
                     std::uint32_t access) {
    return declared(index, SPOC_BE_PARAM_BUFFER, element, bytes, access);
}

spoc_be_param words(std::uint32_t index, std::uint32_t access) {
    return buffer(index, SPOC_BE_ELEMENT_I32, 4, access);
}

spoc_be_param scalar(std::uint32_t index, std::uint32_t element, std::uint32_t bytes) {
    return declared(index, SPOC_BE_PARAM_SCALAR, element, bytes, read);
}

}  // namespace

const std::vector<program_form>& program_forms() {
    static const std::vector<program_form> forms = make_forms();
    return forms;
}

bool has(const program_form& form, known_kernel kernel) {
    return std::find(form.kernels.begin(), form.kernels.end(), kernel) != form.kernels.end();
}

const char* name_of(known_kernel kernel) { return row_of(kernel).name; }

bool share_program(const program_form& form, known_kernel one, known_kernel other) {
    const bool are_apart = form.one_each || row_of(one).is_feature || row_of(other).is_feature;
    return one == other || !are_apart;
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
    if (form.format == SPOC_BE_FORMAT_NATIVE_SYMBOL) {
        if (is_in_process(form)) {
            add_native_kernels(dev);
            return {};
        }
        return suite_file("native_kernels.so");
    }
    need(dev, form, kernel);
    return std::string(carried_program(form, row_of(kernel)));
}

std::span<const char* const> program_options(const program_form& form, known_kernel kernel) {
    static constexpr std::array none{static_cast<const char*>(nullptr)};
    // Without a word the language is version 1.2, which knows no subgroups.
    static constexpr std::array with_subgroups{"-cl-std=CL3.0", "-cl-std=CL2.0"};
    if (form.format == SPOC_BE_FORMAT_OPENCL_C && kernel == known_kernel::subgroup_sum) {
        return with_subgroups;
    }
    return none;
}

const char* entry_point(const program_form& form, known_kernel kernel) {
    return form.one_each ? "main" : row_of(kernel).name;
}

std::span<const spoc_be_param> declared_params(known_kernel kernel) {
    static const std::array scale{words(0, read), words(1, write),
                                  scalar(2, SPOC_BE_ELEMENT_I32, 4),
                                  scalar(3, SPOC_BE_ELEMENT_I32, 4)};
    static const std::array spin{words(0, write), scalar(1, SPOC_BE_ELEMENT_I32, 4),
                                 scalar(2, SPOC_BE_ELEMENT_I32, 4)};
    static const std::array out{words(0, read_write)};
    static const std::array wide{words(0, write), scalar(1, SPOC_BE_ELEMENT_I64, 8),
                                 scalar(2, SPOC_BE_ELEMENT_RECORD, 12)};
    static const std::array local{
        words(0, write), declared(1, SPOC_BE_PARAM_LOCAL, SPOC_BE_ELEMENT_I32, 4, read_write)};
    static const std::array doubles{buffer(0, SPOC_BE_ELEMENT_F64, 8, read),
                                    buffer(1, SPOC_BE_ELEMENT_F64, 8, write)};
    static const std::array halves{words(0, read), words(1, write)};
    static const std::array longs{buffer(0, SPOC_BE_ELEMENT_I64, 8, read),
                                  buffer(1, SPOC_BE_ELEMENT_I64, 8, write)};
    static const std::array tickets32{words(0, read_write), words(1, write)};
    static const std::array tickets64{buffer(0, SPOC_BE_ELEMENT_I64, 8, read_write),
                                      buffer(1, SPOC_BE_ELEMENT_I64, 8, write)};
    static const std::array address{words(0, write), scalar(1, SPOC_BE_ELEMENT_I64, 8)};
    switch (kernel) {
        case known_kernel::scale:
            return scale;
        case known_kernel::spin:
            return spin;
        case known_kernel::wide:
            return wide;
        case known_kernel::mirror_local:
            return local;
        case known_kernel::scale_fp64:
            return doubles;
        case known_kernel::scale_fp16:
            return halves;
        case known_kernel::scale_int64:
            return longs;
        case known_kernel::tickets32:
            return tickets32;
        case known_kernel::tickets64:
            return tickets64;
        case known_kernel::through_address:
            return address;
        case known_kernel::who:
        case known_kernel::mirror_shared:
        case known_kernel::subgroup_sum:
        case known_kernel::constants:
            return out;
    }
    return {};
}

}  // namespace spoc::conformance
