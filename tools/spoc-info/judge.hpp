// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model.hpp"
#include "options.hpp"

namespace spoc::info {

/// A failure of libspoc as a problem: the caller's mistakes, and names in the environment that fit
/// nothing, are wrong use (exit status 2), everything else is something missing (1).
problem problem_of(const spoc_error& record, const std::string& hint);

/// Wrong use.
problem problem_of(const mistake& wrong);

/// Adds a problem for everything that was gathered and is not as `wanted` demands: unmet
/// requirements, failed self-tests, with `--strict` faulty plugins, and that there is no device,
/// unless another problem says why already.
void judge(const options& wanted, model& m);

/// Remarks for stderr: settings that hide something, and devices that could not be opened.
std::vector<std::string> notes_on(const model& m, const std::vector<setting>& settings);

}  // namespace spoc::info
