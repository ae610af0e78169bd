// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "load_plan.hpp"

namespace spoc::bench {

/// How `spoc-bench load` was called.
struct load_options {
    std::string path;
    std::optional<std::string> devices;  ///< selectors; empty: the best device
    load_wish wish;
    bool json = false;
};

/// Loads the file into each device, one after the other, prints what came of it and returns the
/// exit status.
int run_load(const load_options& options);

}  // namespace spoc::bench
