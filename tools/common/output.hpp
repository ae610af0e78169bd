// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

/// \file
/// The standard streams: stdout carries data, stderr carries talk.

namespace spoc::tools {

/// Exit status of a program whose output could not be written.
inline constexpr int exit_output = 1;

/// Makes sure that descriptors 0 to 2 are taken, so that no file a driver opens becomes "stdout". A
/// stream that was closed gets one that fails when used. Keeps stdout for `write_stdout`: whatever
/// else in the process writes to it, a driver for one, goes to stderr. Called first in `main`.
void claim_standard_streams();

/// Keeps stderr for `tell`, after `claim_standard_streams`: whatever else in the process or in one
/// that it starts writes to stdout or stderr is lost. For reports that must not show what drivers
/// or the library say.
void drop_foreign_talk();

/// Ends the program without exit handlers: those of drivers have nothing to add once everything is
/// written, and some crash, hang, or change the status.
[[noreturn]] void leave(int status);

/// Prints "PROGRAM: LINE" to stderr, made printable.
void tell(std::string_view program, std::string_view line);

/// Writes all of `data` to stdout. When that fails (closed, full, nobody reads) one line on stderr
/// says so and the result is false; SIGPIPE does not end the program.
bool write_stdout(std::string_view program, std::string_view data);

/// When to colour.
enum class colour_mode { automatic, always, never };

/// Whether to colour what goes to stdout. `automatic`: a terminal that is not "dumb", and
/// `NO_COLOR` unset or empty.
bool colour_wanted(colour_mode mode);

/// Columns of the terminal at stdout; `otherwise` when it is none or does not say.
std::size_t terminal_width(std::size_t otherwise);

/// Whether `descriptor` is a terminal.
bool is_terminal(int descriptor);

/// Whether the terminal says that it only prints, and takes no escape sequences (`TERM=dumb`).
bool is_dumb();

}  // namespace spoc::tools
