// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spoc::bench {

/// Exit statuses of spoc-bench. What the user wrote wrongly is `tools::exit_usage`.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_no_device = 77;

inline constexpr const char* program_name = "spoc-bench";

}  // namespace spoc::bench
