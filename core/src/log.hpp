// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <spoc/backend.h>

namespace spoc::detail {

/// Whether `text` is a value that `SPOC_LOG` takes: a level, or `topic=level`, several separated by
/// commas. Levels: error, warn, info, debug, trace, off.
bool is_log_specification(std::string_view text);

/// Sets the levels from `SPOC_LOG`'s value; null or a malformed one leaves the default, warn.
void configure_log(const char* specification);

/// Writes one line to stderr when `level` (`SPOC_BE_LOG_*`) is switched on for `topic` ("core", or
/// a backend's name). Any thread. Never throws.
void write_log(std::uint32_t level, std::string_view topic, std::string_view text) noexcept;

}  // namespace spoc::detail
