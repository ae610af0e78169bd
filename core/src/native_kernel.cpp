// SPDX-License-Identifier: Apache-2.0

/// \file
/// Kernels of the program's own for backends that run C functions.

#include <spoc/program.h>

#include "device.hpp"
#include "session.hpp"
#include "text.hpp"

using namespace spoc::detail;

namespace {

outcome check_description(const spoc_native_kernel& kernel) {
    bool well_formed = kernel.magic == SPOC_NATIVE_KERNEL_MAGIC && kernel.size >= sizeof kernel &&
                       kernel.run != nullptr &&
                       (kernel.param_count == 0 || kernel.params != nullptr);
    for (std::uint32_t i = 0; well_formed && i < kernel.param_count; ++i) {
        well_formed = kernel.params[i].index == i && kernel.params[i].kind != SPOC_BE_PARAM_OTHER;
    }
    return well_formed ? outcome{}
                       : outcome::invalid(SPOC_SUB_VALUE, "The kernel's description is malformed.");
}

outcome find_kernels(spoc_device_s& device, const spoc_native_kernels*& out) {
    const void* found = nullptr;
    plugin_error error;
    const std::int32_t status = device.table().get_interface(
        SPOC_NATIVE_KERNELS_INTERFACE, sizeof(spoc_native_kernels), &found, &error);
    if (status < 0) {
        return device.failure(status, error, SPOC_SUB_DRIVER);
    }
    out = static_cast<const spoc_native_kernels*>(found);
    return {};
}

}  // namespace

spoc_status spoc_native_kernel_add(spoc_device device, const char* name,
                                   const spoc_native_kernel* kernel, spoc_error* error) noexcept {
    return boundary("spoc_native_kernel_add", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(name, "name"));
        SPOC_TRY(require_pointer(kernel, "kernel"));
        if (*name == '\0') {
            return outcome::invalid(SPOC_SUB_NAME, "The kernel's name is empty.");
        }
        SPOC_TRY(check_description(*kernel));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->check_current());
        const spoc_native_kernels* kernels = nullptr;
        SPOC_TRY(find_kernels(*device, kernels));
        plugin_error failed;
        const std::int32_t status = kernels->add(name, kernel, &failed);
        if (status == SPOC_BE_BUSY) {
            return outcome::invalid(SPOC_SUB_DUPLICATE,
                                    say("Another kernel has the name ", name, "."));
        }
        return status >= 0 ? outcome{} : device->failure(status, failed, SPOC_SUB_DRIVER);
    });
}
