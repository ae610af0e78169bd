// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The runtime as an owner.

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <spoc/error.hpp>
#include <spoc/runtime.h>

namespace spoc {

/// How to start the runtime; see `spoc_options`.
struct runtime_options {
    bool isolate_probes = false;
    bool never_isolate = false;
    bool allow_cpu = false;
    bool prove_devices = false;
    std::chrono::milliseconds probe_timeout{0};      ///< 0: the default of 10 s
    std::vector<std::filesystem::path> plugin_dirs;  ///< absolute, searched first
};

/// Keeps the runtime running; see `spoc_init` and `spoc_shutdown`. Movable, not copyable: each
/// object is one reference. Objects of SPOC that outlive the last `runtime` may be destroyed, and
/// fail with `unavailable` when used.
class runtime {
 public:
    /// Starts the runtime with default options, or adds a reference to the running one.
    runtime() { detail::call(spoc_init, static_cast<const spoc_options*>(nullptr)); }

    /// Starts the runtime. Throws `invalid_argument` when it runs already.
    explicit runtime(const runtime_options& options) {
        std::vector<const char*> dirs;
        for (const auto& dir : options.plugin_dirs) {
            dirs.push_back(dir.c_str());
        }
        spoc_options raw{};
        raw.size = sizeof raw;
        raw.flags = (options.isolate_probes ? SPOC_ISOLATE_PROBES : 0) |
                    (options.never_isolate ? SPOC_NEVER_ISOLATE : 0) |
                    (options.allow_cpu ? SPOC_ALLOW_CPU : 0) |
                    (options.prove_devices ? SPOC_PROVE_DEVICES : 0);
        raw.probe_timeout_ms = static_cast<std::uint32_t>(options.probe_timeout.count());
        raw.plugin_dir_count = static_cast<std::uint32_t>(dirs.size());
        raw.plugin_dirs = dirs.data();
        detail::call(spoc_init, static_cast<const spoc_options*>(&raw));
    }

    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;
    runtime(runtime&& other) noexcept : owns_(std::exchange(other.owns_, false)) {}
    runtime& operator=(runtime&& other) noexcept {
        runtime taken(std::move(other));
        std::swap(owns_, taken.owns_);
        return *this;
    }

    /// Gives the reference back; failures of drivers are logged.
    ~runtime() {
        if (owns_) {
            spoc_shutdown(nullptr);
        }
    }

 private:
    bool owns_ = true;
};

}  // namespace spoc
