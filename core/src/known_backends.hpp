// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace spoc::detail {

/// A backend that SPOC knows by name, whether or not a plugin for it exists on this machine.
struct known_backend {
    std::string_view name;       ///< in file names and selectors
    std::string_view long_name;  ///< second spelling in SPOC_DISABLE_..., upper case
    bool drives_gpus;
    bool always_listed;  ///< has an entry in the list even without a file
};

/// In the order in which devices get their ids.
constexpr std::array<known_backend, 8> known_backends = {{
    {"cuda", "CUDA", true, true},
    {"hip", "HIP", true, true},
    {"ocl", "OPENCL", true, true},
    {"vk", "VULKAN", true, true},
    {"metal", "METAL", true, true},
    {"webgpu", "WEBGPU", true, false},
    {"native", "NATIVE", false, true},
    {"interp", "INTERPRETER", false, false},
}};

}  // namespace spoc::detail
