// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace spoc::info {

/// What a public report must not show: who runs this process, and on which machine.
struct secrets {
    std::vector<std::string> homes;  ///< absolute paths without a slash at the end
    std::vector<std::string> users;
    std::vector<std::string> hosts;
};

/// Those of this process, from its accounts, its environment (HOME, USER, LOGNAME, SUDO_USER) and
/// the kernel. "root" and "localhost" tell nobody apart and are not among them.
secrets secrets_of_this_process();

}  // namespace spoc::info
