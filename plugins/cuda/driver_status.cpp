// SPDX-License-Identifier: Apache-2.0
#include "driver_status.hpp"

#include "backend.hpp"
#include "common/status.hpp"

namespace spoc::cudalike {

std::int32_t status_of(driver::result code) noexcept {
    if (is_sticky(code)) {
        return SPOC_BE_DEVICE_LOST;
    }
    switch (code) {
        case driver::success:
            return SPOC_BE_OK;
        case driver::not_ready:
            return SPOC_BE_NOT_READY;
        case driver::out_of_memory:
            return SPOC_BE_OUT_OF_MEMORY;
        case driver::not_supported:
        case driver::not_permitted:
            return SPOC_BE_UNSUPPORTED;
        case driver::not_found:
            return SPOC_BE_NOT_FOUND;
        case driver::launch_out_of_resources:
            return SPOC_BE_TOO_LARGE;
        case driver::invalid_ptx:
        case driver::unsupported_ptx_version:
        case driver::jit_compiler_not_found:
        case driver::jit_compilation_disabled:
            return SPOC_BE_COMPILE;
        case driver::invalid_image:
        case driver::no_binary_for_gpu:
        case driver::invalid_source:
            return SPOC_BE_FORMAT;
        default:
            return SPOC_BE_DRIVER;
    }
}

bool is_sticky(driver::result code) noexcept {
    switch (code) {
        case driver::device_unavailable:
        case driver::ecc_uncorrectable:
        case driver::nvlink_uncorrectable:
        case driver::illegal_address:
        case driver::launch_timeout:
        case driver::context_is_destroyed:
        case driver::device_assert:
        case driver::hardware_stack_error:
        case driver::illegal_instruction:
        case driver::misaligned_address:
        case driver::invalid_address_space:
        case driver::invalid_pc:
        case driver::launch_failed:
            return true;
        default:
            return false;
    }
}

std::int32_t fail_driver(spoc_be_error* error, driver::result code, const char* origin,
                         const char* what, std::uint64_t asked, std::uint64_t tag) noexcept {
    const char* name = nullptr;
    const char* text = nullptr;
    static_cast<void>(api().error_name(code, &name));
    static_cast<void>(api().error_text(code, &text));
    return plugin::fail(error,
                        {.status = status_of(code),
                         .native_code = code,
                         .native_domain = "CUresult",
                         .origin = origin,
                         .asked = asked,
                         .tag = tag},
                        "%s failed (%s: %s).", what, name == nullptr ? "unknown code" : name,
                        text == nullptr ? "the driver has no words for it" : text);
}

}  // namespace spoc::cudalike
