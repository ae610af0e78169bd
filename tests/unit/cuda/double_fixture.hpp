// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// libspoc over the CUDA plugin on the double of the driver: two cards of 256 MiB, 8 MiB of memory
/// that can be page-locked.

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <spoc/spoc.hpp>

#include "cuda_double.h"
#include "driver.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "unit/core/support/environment.hpp"

namespace spoc::test {

/// The driver's library, as the plugin finds it: the double, or that of a card.
inline void* driver_library() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
    REQUIRE(library != nullptr);
    return library;
}

/// libspoc with the plugin alone, started for one test. Cases that need no more are tagged [card]:
/// they run on a card, too, with SPOC_PLUGIN_FILES naming the plugin.
class cuda_here {
 public:
    cuda_here() {
        variables_.set("SPOC_PLUGIN_FILES", plugin_);
        runtime_ = std::make_unique<spoc::runtime>();
    }
    cuda_here(const cuda_here&) = delete;
    cuda_here& operator=(const cuda_here&) = delete;

    static spoc::device device(std::uint32_t index) {
        return spoc::select_devices("cuda:" + std::to_string(index)).at(0);
    }
    /// The last card: not the first, where there are two.
    static spoc::device last() { return spoc::select_devices("cuda").back(); }

    /// A function of the driver, called as another library in the process would.
    template <typename Function>
    Function driver(const char* name) const {
        auto* found = reinterpret_cast<Function>(::dlsym(driver_library(), name));
        REQUIRE(found != nullptr);
        return found;
    }

 protected:
    void stop() { runtime_.reset(); }

 private:
    static std::string plugin() {
        const char* named = std::getenv("SPOC_PLUGIN_FILES");
        return named != nullptr ? named : SPOC_TEST_CUDA_PLUGIN;
    }

    const std::string plugin_ = plugin();  // before there are no variables
    environment variables_;
    std::unique_ptr<spoc::runtime> runtime_;
};

/// The same over the double, which can be told what to do.
class cuda_on_double : public cuda_here {
 public:
    cuda_on_double()
        : control(*static_cast<const cuda_double_control*>(
              ::dlsym(driver_library(), "cuda_double_v1"))) {}
    cuda_on_double(const cuda_on_double&) = delete;
    cuda_on_double& operator=(const cuda_on_double&) = delete;
    ~cuda_on_double() {
        control.hold(0);
        stop();
        CHECK(control.alive() == left_behind);
    }

    const cuda_double_control& control;
    std::uint64_t left_behind = 0;  ///< objects that are not to be ended, on a lost device
};

}  // namespace spoc::test
