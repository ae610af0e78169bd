// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace spoc::conformance {

/// What a process that ran a case left to be judged by.
struct process_traces {
    std::string record;         ///< what it wrote to the descriptor for its result
    std::string printed;        ///< what it wrote to standard output and standard error
    std::optional<int> status;  ///< as `waitpid` gives it; empty: it did not end in time
    bool left_process = false;  ///< another process that it started lived on, and was ended
};

/// Runs `action` in a child process with a process group of its own, with a descriptor to which its
/// result is to be written; the child exits with what it returns, exit handlers included. After
/// `timeout` the group is killed. However this program ends, the group ends with it; what left the
/// group is looked for when the child has ended, and ended too.
///
/// Blocks until all of that is over. The caller has one thread and no other child processes. Throws
/// `failure` when no process can be made.
process_traces run_in_process(const std::function<int(int descriptor)>& action,
                              std::chrono::milliseconds timeout);

}  // namespace spoc::conformance
