// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spoc::conformance {

/// What became of a case before expectations are looked at.
enum class outcome { passed, failed, skipped };

/// A case's result.
struct result {
    std::string name;
    outcome what = outcome::failed;
    std::string message;  ///< why it failed or was skipped; empty when it passed
    std::uint64_t elapsed_ms = 0;
    /// Why the case itself skipped, however its process ended after that; empty when it did not.
    std::string skip_reason = {};
    /// Its process did not end in time, or left another one behind: it took what time there was.
    bool stuck = false;
};

}  // namespace spoc::conformance
