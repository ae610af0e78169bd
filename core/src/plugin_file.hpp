// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <spoc/backend.h>

#include "finding.hpp"

namespace spoc::detail {

/// What is known about a plugin file without loading it.
struct plugin_file {
    std::string real_path;             ///< absolute, links resolved; what is loaded
    std::optional<spoc_be_note> note;  ///< as found in the file
};

/// Looks at `path`, which should be the plugin of backend `name`: that it can be read, that nobody
/// else can write it, that it is a shared object for this machine, and what its note says. Reads
/// with pread, never maps the file, so that a file that shrinks meanwhile is an error and not a
/// signal. Nothing of the file is run.
finding examine_plugin_file(const std::string& path, std::string_view name, plugin_file& out);

/// Backend's name in a file name of the form libspoc-<name>.so, or empty when it has another form.
std::string_view backend_of_file_name(std::string_view file_name) noexcept;

}  // namespace spoc::detail
