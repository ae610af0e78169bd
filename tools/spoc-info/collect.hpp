// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model.hpp"
#include "options.hpp"

namespace spoc::info {

/// Gathers what `wanted` asks for. Starts the runtime into `running` when libspoc is needed; the
/// caller ends it after the output was written, so that a driver that fails while it is closed
/// costs no output. Failures become `model::problems`; throws only what is no `spoc::error` and no
/// `mistake`.
model collect(const options& wanted, std::optional<runtime>& running);

/// A device's answer about capability `bit`, called `name`.
capability_answer ask_capability(const device& which, std::uint32_t bit, const std::string& name);

/// What to do about a failure: the hint of the backend concerned, else the one of the reason; may
/// be empty.
std::string hint_for(const spoc_error& record);

}  // namespace spoc::info
