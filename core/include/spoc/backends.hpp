// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The list of backends as a vector.

#include <string>
#include <vector>

#include <spoc/backends.h>
#include <spoc/error.hpp>

namespace spoc {

/// Every entry of the list as it stands now, after a passive probe; see spoc/backends.h. Throws as
/// `spoc_backend_get`.
inline std::vector<spoc_backend_info> backends() {
    std::uint32_t count = 0;
    detail::call(spoc_backend_count, &count);
    std::vector<spoc_backend_info> list(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        list[i].size = sizeof(spoc_backend_info);
        detail::call(spoc_backend_get, i, &list[i]);
    }
    return list;
}

/// Returns when backend `name` is ready with at least one device, else throws `unavailable` with
/// the reason.
inline void require_backend(const std::string& name) {
    detail::call(spoc_backend_require, name.c_str());
}

/// Every place that was searched for plugins, in search order. Throws as `spoc_search_get`.
inline std::vector<spoc_search_place> search_places() {
    std::uint32_t count = 0;
    detail::call(spoc_search_count, &count);
    std::vector<spoc_search_place> list(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        list[i].size = sizeof(spoc_search_place);
        detail::call(spoc_search_get, i, &list[i]);
    }
    return list;
}

}  // namespace spoc
