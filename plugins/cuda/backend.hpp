// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "common/host.hpp"
#include "driver.hpp"
#include "nvrtc.hpp"

namespace spoc::cudalike {

/// More devices than any machine has that this driver runs on.
inline constexpr std::uint32_t most_devices = 64;

/// What lives from the first probe to `close`.
struct backend {
    plugin::host host;
    driver::table api;        ///< set once the library is open
    void* library = nullptr;  ///< the driver's library, or null
    char library_path[256] = {};
    bool initialized = false;     ///< the driver said yes to `init`
    int driver_version = 0;       ///< major * 1000 + minor * 10
    char kernel_driver[64] = {};  ///< version of the kernel module, may be empty
    std::uint32_t device_count = 0;
    std::array<driver::ordinal, most_devices> devices{};
    cuda::nvrtc compiler;
};

/// The plugin's only mutable global. Nothing of it is destroyed at exit: threads of the application
/// may still be in an entry then.
inline constinit backend the_backend;

/// The driver's functions; after a probe or `open` found it.
inline const driver::table& api() noexcept { return the_backend.api; }

}  // namespace spoc::cudalike
