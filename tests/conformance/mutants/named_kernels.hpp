// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <spoc/backend.h>

#include "handle_set.hpp"

namespace spoc::mutant {

/// The kernels of one name, noted as they are got, so that a launch of one can be told from others.
class named_kernels {
 public:
    explicit named_kernels(const char* name) noexcept : name_(name) {}

    /// The plugin gave `kernel` for `name`. Its handle may have been that of another before.
    void note(const char* name, spoc_be_kernel kernel) {
        all_.set(kernel, std::strcmp(name, name_) == 0);
    }

    bool contain(spoc_be_kernel kernel) { return all_.contain(kernel); }

 private:
    const char* name_;
    handle_set<spoc_be_kernel> all_;
};

}  // namespace spoc::mutant
