// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// libspoc over the CUDA plugin on the double of the driver: two cards of 256 MiB, 8 MiB of memory
/// that can be page-locked.

#include <dlfcn.h>

#include <cstdint>
#include <memory>
#include <string>

#include <spoc/spoc.hpp>

#include "cuda_double.h"
#include "driver.hpp"
#include "support/catch.hpp"
#include "unit/core/support/environment.hpp"

namespace spoc::test {

/// The double's library, as the plugin finds it.
inline void* double_library() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
    REQUIRE(library != nullptr);
    return library;
}

/// Started for one test.
class cuda_on_double {
 public:
    cuda_on_double()
        : control(*static_cast<const cuda_double_control*>(
              ::dlsym(double_library(), "cuda_double_v1"))) {
        variables_.set("SPOC_PLUGIN_FILES", SPOC_TEST_CUDA_PLUGIN);
        runtime_ = std::make_unique<spoc::runtime>();
    }
    cuda_on_double(const cuda_on_double&) = delete;
    cuda_on_double& operator=(const cuda_on_double&) = delete;
    ~cuda_on_double() {
        control.hold(0);
        runtime_.reset();
        CHECK(control.alive() == left_behind);
    }

    spoc::device device(std::uint32_t index) const {
        return spoc::select_devices("cuda:" + std::to_string(index)).at(0);
    }

    /// A function of the driver, called as another library in the process would.
    template <typename Function>
    Function driver(const char* name) const {
        auto* found = reinterpret_cast<Function>(::dlsym(double_library(), name));
        REQUIRE(found != nullptr);
        return found;
    }

    const cuda_double_control& control;
    std::uint64_t left_behind = 0;  ///< objects that are not to be ended, on a lost device

 private:
    environment variables_;
    std::unique_ptr<spoc::runtime> runtime_;
};

/// What `body` is refused with: the sub-code of its error, or `SPOC_SUB_NONE` where it succeeds.
template <typename Body>
std::uint32_t refusal_of(Body body) {
    try {
        body();
    } catch (const spoc::error& error) {
        return error.sub_code();
    }
    return SPOC_SUB_NONE;
}

}  // namespace spoc::test
