// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "result.hpp"
#include "test_case.hpp"

namespace spoc::conformance {

/// Runs a case in a child process with its own process group: what crashes, hangs, or leaves
/// processes behind costs this case alone. The child ends by `exit`, so that exit handlers of the
/// plugin and its driver run, and must end with status 0, with nothing that it started left alive.
/// After `timeout` the group is killed. What the case prints is part of its failure: a plugin
/// prints nothing.
///
/// The caller has one thread and has not loaded a plugin.
result run_isolated(const test_case& wanted, const subject& subject,
                    std::chrono::milliseconds timeout);

/// Runs a case in this process. A case of ending `leaves` is skipped.
result run_here(const test_case& wanted, const subject& subject);

}  // namespace spoc::conformance
