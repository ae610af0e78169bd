// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace spoc::conformance {

inline constexpr const char* program = "spoc-conformance";

/// What the user asked for.
struct options {
    std::string plugin;                ///< path of the plugin file; empty with `list` alone
    bool list = false;                 ///< name the cases, run none
    std::vector<std::string> only;     ///< globs of case names; empty: all
    std::vector<std::string> exclude;  ///< globs of case names that are left out
    std::uint32_t device = 0;
    std::string expect;                            ///< file of expectations, or empty
    std::map<std::string, std::string> stand_ins;  ///< `subject::stand_ins`
    bool json = false;
    bool verbose = false;  ///< one line a case, passed ones too
    bool no_isolate = false;
    std::chrono::milliseconds timeout{60000};
};

/// A command line that this program does not take; the text says why, without an end.
class mistake : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

struct command_line {
    options wanted;
    std::optional<std::string> answer;  ///< text asked for (`--help`, `--version`), for stdout
};

/// Throws `mistake`.
command_line read_command_line(int argc, const char* const* argv);

}  // namespace spoc::conformance
