// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace spoc::conformance {

/// A child that a case forks from its own process, with everything that is loaded and open there.
/// Runs the action and ends by `exit`, so that exit handlers run; one that hangs is ended after
/// half a minute.
class child_process {
 public:
    explicit child_process(const std::function<void()>& action);
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process();

    /// Waits, and fails with the child's own words when its action failed, or with how it ended
    /// when that was not with status 0. `what` names the child: "The forked child".
    void expect_success(const std::string& what);

 private:
    pid_t process_ = -1;
    int words_ = -1;
};

}  // namespace spoc::conformance
