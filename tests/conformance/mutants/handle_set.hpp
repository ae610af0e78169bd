// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>

namespace spoc::mutant {

/// Handles that a plugin does not treat like others. Any thread.
template <typename Handle>
class handle_set {
 public:
    /// A handle may have been that of another object before, so that those outside are told too.
    void set(Handle handle, bool inside) {
        const std::lock_guard lock(mutex_);
        if (inside) {
            all_.insert(handle);
        } else {
            all_.erase(handle);
        }
    }

    bool contain(Handle handle) {
        const std::lock_guard lock(mutex_);
        return all_.count(handle) != 0;
    }

 private:
    std::mutex mutex_;
    std::set<Handle> all_;
};

}  // namespace spoc::mutant
