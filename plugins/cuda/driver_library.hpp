// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <spoc/backend.h>

#include "common/host.hpp"
#include "driver.hpp"

namespace spoc::cudalike {

/// The driver's library and what of it was found.
class driver_library {
 public:
    /// Opens it and finds every function. False: `words` says why, with its `reason`.
    bool open(plugin::host& host, char* out_path, std::size_t path_capacity, spoc_be_error* words);

    void* handle() const noexcept { return handle_; }
    const driver::table& functions() const noexcept { return functions_; }

 private:
    void* find(const char* name, const char* library_name, int version) const;

    plugin::host* host_ = nullptr;
    void* handle_ = nullptr;
    driver::table functions_;
};

}  // namespace spoc::cudalike
