// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <spoc/backend.h>

namespace spoc::conformance {

/// Maps the plugin and finds its table, as a host does. Never unmapped. Throws `failure` with the
/// system loader's words, or with what is wrong with the table's first bytes, its version or size:
/// nothing of the table can be trusted then.
const spoc_be_table& load_plugin(const std::string& path);

/// The plugin's table as far as it goes, in a table of this suite's own size: entries that it does
/// not reach are null.
spoc_be_table read_table(const spoc_be_table& table);

}  // namespace spoc::conformance
