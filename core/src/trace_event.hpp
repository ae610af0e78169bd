// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// The text of Chrome trace events, part by part.

namespace spoc::detail {

void append_number(std::string& out, std::uint64_t number);

/// Nanoseconds, as the microseconds that the format has.
void append_time(std::string& out, std::uint64_t ns);

/// Process and thread of the caller, as events say them.
std::string place_of_this_thread();

/// What every event begins with, a comma before it. The caller closes the brace.
void append_head(std::string& out, char phase, std::string_view place, std::uint64_t at_ns);

void append_name(std::string& out, std::string_view name, std::string_view category);

/// The event that names the process, without a comma before it.
std::string process_event(std::uint64_t at_ns);

}  // namespace spoc::detail
