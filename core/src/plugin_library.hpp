// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <spoc/backend.h>

#include "finding.hpp"
#include "plugin_file.hpp"

namespace spoc::detail {

/// Maps the shared object and finds its table. The object is never unmapped: drivers keep threads
/// and exit handlers.
finding load_plugin_library(const plugin_file& file, const spoc_be_table*& out_table);

/// Checks a plugin's table for backend `name` against the contract and copies it into `out`, a
/// table of this library's own size in which entries that the plugin's does not reach are null.
/// `note`, when there is one, must agree.
finding adopt_table(const spoc_be_table& table, std::string_view name,
                    const std::optional<spoc_be_note>& note, spoc_be_table& out);

/// Checks that everything device `info` claims has the entries it needs in `table`.
finding check_claims(const spoc_be_table& table, const spoc_be_device_info& info);

}  // namespace spoc::detail
