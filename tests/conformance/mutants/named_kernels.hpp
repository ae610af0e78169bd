// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <mutex>
#include <set>

#include <spoc/backend.h>

namespace spoc::mutant {

/// The kernels of one name, noted as they are got, so that a launch of one can be told from others.
class named_kernels {
 public:
    explicit named_kernels(const char* name) noexcept : name_(name) {}

    /// The plugin gave `kernel` for `name`. Its handle may have been that of another before.
    void note(const char* name, spoc_be_kernel kernel) {
        const std::lock_guard lock(mutex_);
        if (std::strcmp(name, name_) == 0) {
            all_.insert(kernel);
        } else {
            all_.erase(kernel);
        }
    }

    bool contain(spoc_be_kernel kernel) {
        const std::lock_guard lock(mutex_);
        return all_.count(kernel) != 0;
    }

 private:
    const char* name_;
    std::mutex mutex_;
    std::set<spoc_be_kernel> all_;
};

}  // namespace spoc::mutant
