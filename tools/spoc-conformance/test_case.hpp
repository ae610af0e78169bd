// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace spoc::conformance {

/// What a case works on.
struct subject {
    std::string plugin_path;         ///< absolute, links kept: the name is a part of the contract
    std::uint32_t device_index = 0;  ///< the device that cases with a device use
    /// Reason (as the contract spells it, "NO_DEVICE") to the library that stands in for the
    /// vendor's and brings it about (`--absence`).
    std::map<std::string, std::string> stand_ins;
};

/// How a case's process ends, and who writes its result.
enum class ending {
    returns,  ///< the case returns; then the process ends by exit(0)
    leaves,   ///< the case ends the process itself, with status 0 when all is well, after it called
              ///< `leaving`
};

/// One thing that is tried, in a process of its own unless the user wants otherwise.
struct test_case {
    std::string name;  ///< "group/what_is_tried", of [a-z0-9_/]; unique
    std::function<void(const subject&)> run;
    ending how = ending::returns;
    bool needs_device = true;  ///< without a usable device it is skipped, not run
    /// How many times the time-out it is given: gigabytes take their time where memory is slow.
    int patience = 1;
};

/// Called by a case of ending `leaves` directly before it ends the process: whatever happens from
/// here on is judged by how the process ends.
void leaving();

using case_list = std::vector<test_case>;

}  // namespace spoc::conformance
