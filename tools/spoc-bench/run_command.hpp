// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spoc::bench {

/// How `spoc-bench run` was called.
struct run_options {
    std::vector<std::string> names;      ///< patterns of benchmarks, at least one
    std::optional<std::string> devices;  ///< selectors; empty: the best device
    bool json = false;
};

/// Runs benchmarks on each device, prints what came of them and returns the exit status.
int run_benchmarks(const run_options& options);

}  // namespace spoc::bench
