// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "call.hpp"
#include "common/record.hpp"
#include "entries.hpp"
#include "request.hpp"

namespace spoc::mock {
namespace {

/// A parameter of which no more is known than its place.
spoc_be_param unknown_param(std::uint32_t index) {
    spoc_be_param param{};
    param.index = index;
    param.set = param.binding = param.offset = SPOC_BE_UNKNOWN_32;
    return param;
}

/// What the kernel says of its parameters: what is declared, and over it what reflection knows.
std::vector<spoc_be_param> shown_params(const spoc_native_kernel& kernel, std::uint32_t level,
                                        const spoc_be_kernel_desc& desc) {
    if (level == SPOC_BE_REFLECTION_NONE) {
        return {desc.params, desc.params + desc.param_count};
    }
    std::vector<spoc_be_param> params;
    for (std::uint32_t i = 0; i < kernel.param_count; ++i) {
        spoc_be_param shown = i < desc.param_count ? desc.params[i] : unknown_param(i);
        const spoc_be_param& real = kernel.params[i];
        if (level >= SPOC_BE_REFLECTION_FULL) {
            shown = real;
        } else if (level >= SPOC_BE_REFLECTION_SIZES) {
            shown.kind = real.kind;
            shown.bytes = real.kind == SPOC_BE_PARAM_SCALAR ? real.bytes : shown.bytes;
        }
        params.push_back(shown);
    }
    return params;
}

const kernel_source* find_kernel(const spoc_be_program_s& program, const char* name) {
    const auto found = std::find_if(program.kernels.begin(), program.kernels.end(),
                                    [name](const kernel_source& one) { return one.name == name; });
    return found == program.kernels.end() ? nullptr : &*found;
}

/// False: the call failed.
bool check_block(call& now, const spoc_be_kernel_desc& desc, std::uint32_t fixed) {
    const std::uint32_t wanted[3] = {fixed, 1, 1};
    const bool said = desc.block[0] != 0;
    if (fixed != 0 && said && !std::equal(wanted, wanted + 3, desc.block)) {
        now.refuse("The program fixes another block.");
        return false;
    }
    return true;
}

}  // namespace

std::int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc,
                        spoc_be_kernel* out, spoc_be_error* error) {
    call now(spoc_mock_entry_kernel_get, program->device, error);
    now.record.program = program->number;
    now.record.count = desc->param_count;
    if (!now.begin() || !now.is_alive(*program, "program") ||
        !takes(now, desc->flags, 0, desc->ext)) {
        return now.status();
    }
    if (desc->constant_count != 0 && !has(now, SPOC_BE_CAP_SPEC_CONSTANTS)) {
        return now.status();
    }
    const kernel_source* found = find_kernel(*program, desc->name);
    if (found == nullptr) {
        return now.fail({.status = SPOC_BE_NOT_FOUND},
                        "The program holds no kernel " + std::string(desc->name) + ".");
    }
    const auto fixed = static_cast<std::uint32_t>(now.all.set.get(SPOC_MOCK_FIXED_BLOCK));
    if (!check_block(now, *desc, fixed)) {
        return now.status();
    }
    spoc_be_kernel kernel =
        now.all.kernel_handles.make(false, now.all.next_number(), program->device, *found->kernel);
    kernel->reflection = static_cast<std::uint32_t>(now.all.set.get(SPOC_MOCK_REFLECTION));
    kernel->fixed_block = fixed;
    kernel->params = shown_params(*found->kernel, kernel->reflection, *desc);
    kernel->knows_arity = kernel->reflection != SPOC_BE_REFLECTION_NONE || desc->param_count != 0;
    ++program->device->objects;
    *out = kernel;
    now.record.kernel = kernel->number;
    return now.status();
}

std::int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error) {
    call now(spoc_mock_entry_kernel_info, kernel->device, error);
    now.record.kernel = kernel->number;
    if (!now.begin() || !now.is_alive(*kernel, "kernel")) {
        return now.status();
    }
    spoc_be_kernel_info found{};
    found.reflection = kernel->reflection;
    found.param_count = kernel->knows_arity ? static_cast<std::uint32_t>(kernel->params.size())
                                            : SPOC_BE_UNKNOWN_32;
    found.max_block_threads = kernel->device->info.max_block_threads;
    found.preferred_multiple = kernel->device->info.subgroup;
    if (kernel->fixed_block != 0) {
        found.fixed_block[0] = kernel->fixed_block;
        found.fixed_block[1] = found.fixed_block[2] = 1;
    }
    found.private_bytes = SPOC_BE_UNKNOWN_64;
    found.arg_bytes = SPOC_BE_UNKNOWN_32;
    found.registers = SPOC_BE_UNKNOWN_32;
    plugin::write_record(info, found);
    return now.status();
}

std::int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, std::uint32_t capacity,
                           std::uint32_t* count, spoc_be_error* error) {
    call now(spoc_mock_entry_kernel_params, kernel->device, error);
    now.record.kernel = kernel->number;
    if (!now.begin() || !now.is_alive(*kernel, "kernel")) {
        return now.status();
    }
    std::copy_n(kernel->params.begin(), std::min<std::size_t>(capacity, kernel->params.size()),
                params);
    *count = static_cast<std::uint32_t>(kernel->params.size());
    return now.status();
}

std::int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* error) {
    call now(spoc_mock_entry_kernel_destroy, kernel->device, error);
    now.record.kernel = kernel->number;
    now.begin_ending();
    if (now.is_alive(*kernel, "kernel")) {
        --kernel->device->objects;
        now.all.kernel_handles.end(kernel);
    }
    return now.status();
}

}  // namespace spoc::mock
