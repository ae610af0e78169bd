// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <algorithm>

#include "backend.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "device.hpp"
#include "program.hpp"
#include "registry.hpp"

namespace spoc::native {
namespace {

/// How much the description of one parameter says.
uint32_t reflection(const spoc_be_param& param) {
    if (param.kind == SPOC_BE_PARAM_SCALAR && param.bytes == 0) {
        return SPOC_BE_REFLECTION_ARITY;
    }
    if (param.kind == SPOC_BE_PARAM_BUFFER && param.access == SPOC_BE_ACCESS_UNKNOWN) {
        return SPOC_BE_REFLECTION_SIZES;
    }
    return SPOC_BE_REFLECTION_FULL;
}

spoc_be_kernel_info describe(const spoc_native_kernel& kernel) {
    spoc_be_kernel_info info{};
    info.reflection = SPOC_BE_REFLECTION_FULL;
    info.param_count = kernel.param_count;
    info.max_block_threads = max_block_threads;
    info.preferred_multiple = 1;
    info.private_bytes = SPOC_BE_UNKNOWN_64;
    info.registers = SPOC_BE_UNKNOWN_32;
    for (uint32_t i = 0; i < kernel.param_count; ++i) {
        const spoc_be_param& param = kernel.params[i];
        info.reflection = std::min(info.reflection, reflection(param));
        info.arg_bytes += param.kind == SPOC_BE_PARAM_SCALAR ? param.bytes : 0;
    }
    if (info.reflection < SPOC_BE_REFLECTION_SIZES) {
        info.arg_bytes = SPOC_BE_UNKNOWN_32;
    }
    return info;
}

}  // namespace

int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error) {
    if (const int32_t status = plugin::check_request(desc->flags, 0, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (desc->constant_count > 0) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED, .asked = desc->constant_count},
                            "A kernel of this backend takes no constants (%u given).",
                            desc->constant_count);
    }
    const spoc_native_kernel* kernel = find_kernel(*program, desc->name);
    if (kernel == nullptr || !is_well_formed(*kernel)) {
        return plugin::fail(error, {.status = SPOC_BE_NOT_FOUND},
                            "The program holds no %skernel of the name (\"%s\").",
                            kernel == nullptr ? "" : "well-formed description of a ", desc->name);
    }
    return plugin::make(the_backend.host, *out, error, *kernel);
}

int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* /*error*/) {
    plugin::write_record(info, describe(kernel->description));
    return SPOC_BE_OK;
}

int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, uint32_t capacity,
                      uint32_t* count, spoc_be_error* /*error*/) {
    const spoc_native_kernel& description = kernel->description;
    std::copy_n(description.params, std::min(capacity, description.param_count), params);
    *count = description.param_count;
    return SPOC_BE_OK;
}

int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* /*error*/) {
    plugin::destroy(the_backend.host, kernel);
    return SPOC_BE_OK;
}

}  // namespace spoc::native
