// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model.hpp"
#include "options.hpp"
#include "style.hpp"

/// \file
/// The model as text for people.

namespace spoc::info {

/// What goes to stdout without `--json`.
std::string text_of(const model& m, const options& wanted, const style& look);

/// One line a device, then one for each backend or plugin that is not ready, with its reason and
/// hint.
void append_overview(std::string& out, const model& m, const style& look);

/// Everything about each backend and each device.
void append_details(std::string& out, const model& m, const style& look);

/// Where plugins were looked for.
void append_places(std::string& out, const model& m, const style& look);

/// Every environment variable that SPOC reads.
void append_settings(std::string& out, const model& m, const style& look);

/// Steps of the self-tests.
void append_self_tests(std::string& out, const model& m, const style& look);

/// "ready", or "faulty: NOT_ELF".
std::string verdict_text(std::uint32_t state, std::uint32_t reason);

/// Name of a backend's driver, its version, and the least that is needed: what is known of it.
std::string driver_text(const spoc_backend_info& entry);

/// "1.5 GiB", or "unknown".
std::string size_text(const std::optional<std::uint64_t>& bytes);

}  // namespace spoc::info
