// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <spoc/backends.h>

#include "env.hpp"

namespace spoc::detail {

/// A plugin file that the search found, not looked at yet.
struct plugin_candidate {
    std::string name;  ///< backend, from the file's name
    std::string path;  ///< absolute
};

/// Where was searched, and what lies there.
struct search_result {
    std::vector<spoc_search_place> places;
    std::vector<plugin_candidate>
        candidates;  ///< in search order; within a directory by byte value of the file's name
};

/// Lists plugin files: the application's directories, then those of SPOC_PLUGIN_PATH, then
/// `spoc/<major>` beside libspoc, then the directory configured at build time; or only
/// SPOC_PLUGIN_FILES when that is set. Opens directories, no files. The current directory is never
/// searched.
search_result search_plugins(const std::vector<std::string>& application_dirs,
                             const settings& config);

/// Directory that holds libspoc itself, without links; empty when it cannot be told.
std::string library_directory();

}  // namespace spoc::detail
