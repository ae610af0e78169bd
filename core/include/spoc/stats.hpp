// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Accounts of memory; see spoc/stats.h. Any thread, at any time.

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/stats.h>

namespace spoc {

namespace detail {

inline spoc_stats stats_of(spoc_device device) {
    spoc_stats found{};
    found.size = sizeof found;
    call(spoc_stats_get, device, &found);
    return found;
}

}  // namespace detail

/// The accounts of the process.
inline spoc_stats stats() { return detail::stats_of(nullptr); }
/// The accounts of one device.
inline spoc_stats stats(const device& where) { return detail::stats_of(where.get()); }

/// Begins all accounts anew; what is held now stays.
inline void reset_stats() { detail::call(spoc_stats_reset); }

}  // namespace spoc
