// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/output.hpp"

namespace spoc::info {

inline constexpr const char* program = "spoc-info";

/// A command line that spoc-info does not take; `what()` is one line without an end.
class mistake : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// What the command line asks for.
struct options {
    bool json = false;
    bool verbose = false;
    bool self_test = false;
    bool paths = false;
    bool settings = false;
    bool schema = false;
    bool no_isolate = false;
    bool strict = false;
    bool redact = false;
    std::string backend;  ///< empty: all
    std::string device;   ///< selectors, empty: all
    std::vector<std::string> requirements;
    std::chrono::milliseconds timeout{0};  ///< 0: the library's own
    tools::colour_mode colour = tools::colour_mode::automatic;

    /// Whether nothing is asked but what the environment says, so that no plugin need be looked at.
    bool settings_only() const;
    /// Whether parts were named to print in place of the list of devices.
    bool parts_only() const { return paths || settings; }
    /// Whether backends must be enumerated, and devices opened.
    bool needs_devices() const;
};

/// A command line, understood.
struct command_line {
    options wanted;
    std::optional<std::string>
        answer;  ///< the text that `--help` or `--version` asks for, instead of anything else
};

/// Reads the command line. Throws `mistake`.
command_line read_command_line(int argc, const char* const* argv);

/// Whether the flag `name` is among the arguments, for a mistake that keeps them from being
/// understood.
bool asks_for(std::string_view name, int argc, const char* const* argv);

}  // namespace spoc::info
