// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call.hpp"
#include "common/build_log.hpp"
#include "common/record.hpp"
#include "entries.hpp"
#include "request.hpp"

namespace spoc::mock {
namespace {

constexpr std::uint64_t bit(std::uint32_t format) { return std::uint64_t{1} << format; }

constexpr std::uint64_t source_formats = bit(SPOC_BE_FORMAT_OPENCL_C) | bit(SPOC_BE_FORMAT_GLSL) |
                                         bit(SPOC_BE_FORMAT_CUDA_C) | bit(SPOC_BE_FORMAT_PTX) |
                                         bit(SPOC_BE_FORMAT_HIP_C) | bit(SPOC_BE_FORMAT_MSL) |
                                         bit(SPOC_BE_FORMAT_WGSL);

std::int32_t refuse_program(call& now, const spoc_be_program_desc& desc) {
    if ((desc.format & source_formats) == 0) {
        return now.fail({.status = SPOC_BE_FORMAT}, "The program's bytes are malformed.");
    }
    plugin::write_build_log(desc,
                            "program:1: error: the first word is not " SPOC_MOCK_PROGRAM "\n");
    return now.fail({.status = SPOC_BE_COMPILE}, "The program does not compile.");
}

/// Kernels named in a text that begins as it has to. False: the call failed.
bool read_text(call& now, const spoc_be_program_desc& desc, std::vector<kernel_source>& kernels) {
    std::istringstream text(std::string(static_cast<const char*>(desc.data), desc.bytes));
    std::string word;
    if (!(text >> word) || word != SPOC_MOCK_PROGRAM) {
        refuse_program(now, desc);
        return false;
    }
    while (text >> word) {
        const auto added = now.all.kernels.find(word);
        if (added == now.all.kernels.end()) {
            plugin::write_build_log(desc, "program:1: error: no kernel " + word + " was added\n");
            now.fail({.status = SPOC_BE_COMPILE}, "The program names a kernel that is not there.");
            return false;
        }
        kernels.push_back({added->first, added->second});
    }
    plugin::write_build_log(desc, "program: " + std::to_string(kernels.size()) + " kernels\n");
    return true;
}

}  // namespace

std::int32_t add_native_kernel(const char* name, const spoc_native_kernel* kernel,
                               spoc_be_error* error) {
    state& all = the_state();
    const std::lock_guard lock(all.mutex);
    const plugin::failure malformed = {.status = SPOC_BE_INVALID};
    if (kernel->magic != SPOC_NATIVE_KERNEL_MAGIC || kernel->size < sizeof *kernel ||
        kernel->run == nullptr) {
        return plugin::fail(error, malformed, "The kernel's description is malformed.");
    }
    for (std::uint32_t i = 0; i < kernel->param_count; ++i) {
        if (kernel->params[i].index != i || kernel->params[i].kind == SPOC_BE_PARAM_OTHER) {
            return plugin::fail(error, malformed, "The kernel's parameters are malformed.");
        }
    }
    const auto [place, is_new] = all.kernels.emplace(name, kernel);
    if (!is_new && place->second != kernel) {
        return plugin::fail(error, {.status = SPOC_BE_BUSY}, "The name is another kernel's.");
    }
    return SPOC_BE_OK;
}

std::int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc,
                          spoc_be_program* out, spoc_be_error* error) {
    call now(spoc_mock_entry_program_load, device, error);
    now.record.format = desc->format;
    now.record.host = desc->data;
    now.record.bytes = desc->bytes;
    if (!now.begin()) {
        if (now.status() == SPOC_BE_COMPILE) {
            plugin::write_build_log(*desc, "program:1: error: the mock was told so\n");
        }
        return now.status();
    }
    if (!takes(now, desc->flags, 0, desc->ext)) {
        return now.status();
    }
    if ((desc->format & device->info.formats) == 0 || (desc->format & (desc->format - 1)) != 0) {
        return now.fail({.status = SPOC_BE_FORMAT}, "The mock's device takes no such programs.");
    }
    std::vector<kernel_source> kernels;
    if (desc->format == bit(SPOC_BE_FORMAT_NATIVE_SYMBOL)) {
        if (desc->bytes != 0) {
            return now.refuse("The mock opens no shared objects.");
        }
        for (const auto& [name, kernel] : now.all.kernels) {
            kernels.push_back({name, kernel});
        }
        plugin::write_build_log(*desc, "");
    } else if (!read_text(now, *desc, kernels)) {
        return now.status();
    }
    *out = now.all.programs.make(false, now.all.next_number(), device);
    (*out)->kernels = std::move(kernels);
    ++device->objects;
    now.record.program = (*out)->number;
    return now.status();
}

std::int32_t program_destroy(spoc_be_program program, spoc_be_error* error) {
    call now(spoc_mock_entry_program_destroy, program->device, error);
    now.record.program = program->number;
    now.begin_ending();
    if (now.is_alive(*program, "program")) {
        --program->device->objects;
        now.all.programs.end(program);
    }
    return now.status();
}

std::int32_t program_binary(spoc_be_program program, void* data, std::uint64_t capacity,
                            std::uint64_t* bytes, spoc_be_error* error) {
    call now(spoc_mock_entry_program_binary, program->device, error);
    now.record.program = program->number;
    now.record.bytes = capacity;
    if (!now.begin() || !has(now, SPOC_BE_CAP_PROGRAM_BINARY) ||
        !now.is_alive(*program, "program")) {
        return now.status();
    }
    std::string text = SPOC_MOCK_PROGRAM;
    for (const kernel_source& one : program->kernels) {
        text += ' ' + one.name;
    }
    std::copy_n(text.data(), std::min<std::uint64_t>(capacity, text.size()),
                static_cast<char*>(data));
    *bytes = text.size();
    return now.status();
}

}  // namespace spoc::mock
