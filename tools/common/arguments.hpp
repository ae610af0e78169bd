// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

/// \file
/// Command lines of SPOC's programs: one wording for mistakes, exit status 2, help and version on
/// stdout.

namespace spoc::tools {

/// Exit status of a program that was called in a way it does not take.
inline constexpr int exit_usage = 2;

/// A command line as CLI11 understood it. At most one of the two texts is set; neither: go on.
struct arguments_result {
    std::optional<std::string> answer;   ///< text asked for (`--help`, `--version`), for stdout
    std::optional<std::string> mistake;  ///< what is wrong, one line without an end
};

/// Parses `argv` into what `app` and its subcommands were given. Prints nothing and does not throw
/// on bad input. An unknown option is named before any other mistake, together with the nearest one
/// that exists.
arguments_result read_arguments(CLI::App& app, int argc, const char* const* argv);

/// As `read_arguments`, and prints: help and version to stdout (exit status 0, or 1 when stdout
/// cannot be written), a mistake to stderr (exit status 2). Empty: go on.
std::optional<int> parse_arguments(CLI::App& app, int argc, const char* const* argv);

/// Prints "PROGRAM: MISTAKE" and a pointer to `--help` to stderr; returns `exit_usage`. For
/// mistakes that a program finds by itself.
int report_usage(std::string_view program, std::string_view mistake);

}  // namespace spoc::tools
