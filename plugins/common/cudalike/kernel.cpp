// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <algorithm>

#include "backend.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "open_device.hpp"
#include "parameters.hpp"
#include "program.hpp"

namespace spoc::cudalike {
namespace {

std::int32_t check_request(const spoc_be_kernel_desc& desc, spoc_be_error* error) {
    if (const std::int32_t status = plugin::check_request(desc.flags, 0, desc.ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    return desc.constant_count == 0
               ? SPOC_BE_OK
               : plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                              "The driver fixes no values in a kernel (%u given).",
                              desc.constant_count);
}

std::uint32_t attribute_of(driver::function kernel, driver::function_attribute which) noexcept {
    int value = 0;
    return api().function_get_attribute(&value, which, kernel) == driver::success && value >= 0
               ? static_cast<std::uint32_t>(value)
               : SPOC_BE_UNKNOWN_32;
}

std::uint64_t wide(std::uint32_t value) noexcept {
    return value == SPOC_BE_UNKNOWN_32 ? SPOC_BE_UNKNOWN_64 : value;
}

}  // namespace

std::int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc,
                        spoc_be_kernel* out, spoc_be_error* error) {
    if (const std::int32_t status = check_request(*desc, error); status != SPOC_BE_OK) {
        return status;
    }
    spoc_be_device_s& device = *program->device;
    return on_device(device, error, [&] {
        driver::function handle = nullptr;
        const driver::result found = api().module_function(&handle, program->module, desc->name);
        // A name that no kernel can have is called an invalid value.
        if (found == driver::not_found || found == driver::invalid_value) {
            return plugin::fail(error,
                                {.status = SPOC_BE_NOT_FOUND,
                                 .native_code = found,
                                 .native_domain = "CUresult",
                                 .origin = driver::call::module_function},
                                "The program holds no kernel of this name (\"%s\").", desc->name);
        }
        if (const std::int32_t status =
                check(device, found, driver::call::module_function, "Getting a kernel", error);
            status != SPOC_BE_OK) {
            return status;
        }
        std::uint32_t reflection = SPOC_BE_REFLECTION_NONE;
        std::vector<spoc_be_param> params = read_parameters(handle, *desc, reflection);
        const std::int32_t status = plugin::make(the_backend.host, *out, error, program, handle,
                                                 reflection, std::move(params));
        if (status == SPOC_BE_OK) {
            program->users.fetch_add(1, std::memory_order_relaxed);
        }
        return status;
    });
}

std::int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error) {
    return on_device(*kernel->program->device, error, [&] {
        const driver::function handle = kernel->handle;
        spoc_be_kernel_info said{};
        said.reflection = kernel->reflection;
        said.param_count = kernel->reflection == SPOC_BE_REFLECTION_NONE
                               ? SPOC_BE_UNKNOWN_32
                               : static_cast<std::uint32_t>(kernel->params.size());
        said.max_block_threads = attribute_of(handle, driver::function_max_threads);
        said.preferred_multiple = 32;  // a warp, on every device there has been
        said.shared_static = wide(attribute_of(handle, driver::function_shared_bytes));
        said.private_bytes = wide(attribute_of(handle, driver::function_local_bytes));
        said.arg_bytes = SPOC_BE_UNKNOWN_32;
        said.registers = attribute_of(handle, driver::function_registers);
        plugin::write_record(info, said);
        return SPOC_BE_OK;
    });
}

std::int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, std::uint32_t capacity,
                           std::uint32_t* count, spoc_be_error* /*error*/) {
    const auto have = static_cast<std::uint32_t>(kernel->params.size());
    std::copy_n(kernel->params.begin(), std::min(capacity, have), params);
    *count = have;
    return SPOC_BE_OK;
}

std::int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* error) {
    const spoc_be_program program = kernel->program;
    plugin::destroy(the_backend.host, kernel);
    return release(program, error);
}

}  // namespace spoc::cudalike
