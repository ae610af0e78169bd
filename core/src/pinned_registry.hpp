// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ledger.hpp"
#include "outcome.hpp"

/// \file
/// The table of all live page-locked ranges of the process, whichever device they belong to. Any
/// thread.

namespace spoc::detail {

class host_range;

/// A part of a host range, as a copy sees it.
struct host_piece {
    std::byte* start;
    std::uint64_t bytes;
    std::shared_ptr<host_range> within;  ///< null: ordinary memory
};

/// Fails with OVERLAP when a range shares pages with a live one: a driver locks whole pages,
/// whatever it is asked, and not every driver refuses to lock them twice.
outcome check_pages_free(const host_bytes& bytes);

/// Enters a range of the program's memory; fails as `check_pages_free`.
outcome list_registration(const std::shared_ptr<host_range>& range);

/// Enters memory that a driver gave. It fails only when the driver gave what is live already.
outcome list_allocation(const std::shared_ptr<host_range>& range);

/// Takes the range that begins at `start` out again.
void unlist(const void* start) noexcept;

/// Whether no border of a live range divides these bytes; `out_within` is then the range that they
/// lie in, null for ordinary memory. Takes no memory.
bool is_undivided(const host_bytes& bytes, std::shared_ptr<host_range>& out_within);

/// `start` and `bytes` divided at the borders of the live ranges, in order.
std::vector<host_piece> divide(std::byte* start, std::uint64_t bytes);

/// Whether these bytes are exactly a live range.
bool is_live(const host_bytes& bytes);

}  // namespace spoc::detail
