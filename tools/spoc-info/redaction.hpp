// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"
#include "secrets.hpp"

namespace spoc::info {

/// Makes the model fit for a public report: in every text of it, what names people and machines
/// becomes a placeholder (see `redactor`). Names of backends, selectors and codes stay, and
/// so do figures and PCI addresses.
void redact(model& m, const secrets& known);

}  // namespace spoc::info
