// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <spoc/backends.h>

namespace spoc::detail {

/// Takes one plugin to `stage` in a process of its own, which runs the program `helper` (empty: not
/// known), so that whatever it does there, this process goes on.
///
/// Blocks until the helper has answered, died, or used up `time_out`. The helper and everything in
/// its process group is gone when this returns, except a process that the kernel cannot kill.
/// Returns the record of the helper; where the helper gave none, a record that says how it ended
/// (PROBE_CRASHED, PROBE_TIMEOUT), with the stage it had reached.
spoc_backend_info probe_in_helper(const std::string& helper, const spoc_backend_info& candidate,
                                  std::uint32_t stage, std::chrono::milliseconds time_out);

}  // namespace spoc::detail
