// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "common/status.hpp"

namespace spoc::native {
namespace {

struct entry {
    const spoc_native_kernel* kernel;
    uint64_t number;  ///< in order of registration, from 0
};

struct registry {
    std::mutex mutex;
    std::map<std::string, entry, std::less<>> kernels;
};

/// Never destroyed: static destructors of the application may still use the backend.
registry& the_registry() {
    static registry& instance = *new registry;
    return instance;
}

bool is_well_formed(const spoc_be_param& param, uint32_t index) noexcept {
    return param.index == index && param.kind >= SPOC_BE_PARAM_BUFFER &&
           param.kind <= SPOC_BE_PARAM_LOCAL;
}

}  // namespace

bool is_well_formed(const spoc_native_kernel& kernel) noexcept {
    if (kernel.magic != SPOC_NATIVE_KERNEL_MAGIC || kernel.size < sizeof(spoc_native_kernel) ||
        kernel.run == nullptr || (kernel.params == nullptr && kernel.param_count > 0)) {
        return false;
    }
    for (uint32_t i = 0; i < kernel.param_count; ++i) {
        if (!is_well_formed(kernel.params[i], i)) {
            return false;
        }
    }
    return true;
}

uint64_t registry_age() {
    registry& registry = the_registry();
    const std::lock_guard lock(registry.mutex);
    return registry.kernels.size();
}

const spoc_native_kernel* find_registered(std::string_view name, uint64_t age) {
    registry& registry = the_registry();
    const std::lock_guard lock(registry.mutex);
    const auto found = registry.kernels.find(name);
    return found != registry.kernels.end() && found->second.number < age ? found->second.kernel
                                                                         : nullptr;
}

// Applications call this themselves, so its arguments are checked.
int32_t add_kernel(const char* name, const spoc_native_kernel* kernel, spoc_be_error* error) {
    if (name == nullptr || *name == '\0' || kernel == nullptr || !is_well_formed(*kernel)) {
        return plugin::fail(error, {.status = SPOC_BE_INVALID},
                            "The description of a kernel is malformed (\"%s\").",
                            name == nullptr ? "" : name);
    }
    registry& registry = the_registry();
    const std::lock_guard lock(registry.mutex);
    const auto [place, added] =
        registry.kernels.try_emplace(name, entry{kernel, registry.kernels.size()});
    if (!added && place->second.kernel != kernel) {
        return plugin::fail(error, {.status = SPOC_BE_BUSY},
                            "The name is taken by another kernel (\"%s\").", name);
    }
    return SPOC_BE_OK;
}

}  // namespace spoc::native
