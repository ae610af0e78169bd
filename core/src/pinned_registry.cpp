// SPDX-License-Identifier: Apache-2.0
#include "pinned_registry.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "host_memory.hpp"
#include "process_state.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

struct listed {
    std::uintptr_t end;
    /// Null once the range's handle is gone although the driver would not let go of it.
    std::weak_ptr<host_range> range;
};

struct range_table {
    std::shared_mutex mutex;
    std::map<std::uintptr_t, listed> ranges;  ///< by their first byte

    /// The first range that ends behind `at`. Under the mutex.
    auto first_behind(std::uintptr_t at) {
        auto next = ranges.upper_bound(at);
        return next != ranges.begin() && std::prev(next)->second.end > at ? std::prev(next) : next;
    }
};

/// Kept until the process ends: late destructors of the program still come here.
range_table& live_ranges() {
    static range_table* const instance = new range_table;
    return *instance;
}

host_bytes bytes_of(const host_range& range) { return {range.start(), range.bytes()}; }

/// Rounded outward to whole pages.
host_bytes pages_of(const host_bytes& bytes) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    host_bytes pages;
    pages.begin = bytes.begin & ~(page - 1);
    pages.end = (bytes.end + page - 1) & ~(page - 1);
    return pages;
}

/// Under the mutex. Live ranges of the program's memory share no pages with it, but two allocations
/// of drivers may share the page in which one ends.
bool shares_pages(const range_table& table, const host_bytes& bytes) {
    const host_bytes wanted = pages_of(bytes);
    return std::any_of(table.ranges.begin(), table.ranges.end(), [&](const auto& one) {
        host_bytes other;
        other.begin = one.first;
        other.end = one.second.end;
        return pages_of(other).overlaps(wanted);
    });
}

outcome overlap_error(const host_bytes& bytes) {
    return outcome::invalid(SPOC_SUB_OVERLAP,
                            say("The range of ", bytes.end - bytes.begin,
                                " bytes shares pages with page-locked memory that is live."));
}

}  // namespace

outcome check_pages_free(const host_bytes& bytes) {
    range_table& table = live_ranges();
    const std::shared_lock lock(table.mutex);
    return shares_pages(table, bytes) ? overlap_error(bytes) : outcome{};
}

outcome list_registration(const std::shared_ptr<host_range>& range) {
    const host_bytes bytes = bytes_of(*range);
    range_table& table = live_ranges();
    const std::unique_lock lock(table.mutex);
    if (shares_pages(table, bytes)) {
        return overlap_error(bytes);
    }
    table.ranges.emplace(bytes.begin, listed{bytes.end, range});
    return {};
}

outcome list_allocation(const std::shared_ptr<host_range>& range) {
    const host_bytes bytes = bytes_of(*range);
    range_table& table = live_ranges();
    const std::unique_lock lock(table.mutex);
    const auto next = table.first_behind(bytes.begin);
    if (next != table.ranges.end() && next->first < bytes.end) {
        return outcome::fail(SPOC_INTERNAL_ERROR, SPOC_SUB_NONE,
                             "A plugin gives page-locked memory that is live already.");
    }
    table.ranges.emplace(bytes.begin, listed{bytes.end, range});
    return {};
}

void unlist(const void* start) noexcept {
    // In a forked child the mutex may be held for ever.
    if (process_state() != SPOC_BE_PROCESS_FORK_CHILD) {
        const std::unique_lock lock(live_ranges().mutex);
        live_ranges().ranges.erase(reinterpret_cast<std::uintptr_t>(start));
    }
}

bool is_undivided(const host_bytes& bytes, std::shared_ptr<host_range>& out_within) {
    range_table& table = live_ranges();
    const std::shared_lock lock(table.mutex);
    const auto next = table.first_behind(bytes.begin);
    if (next == table.ranges.end() || next->first >= bytes.end) {
        return true;
    }
    if (next->first > bytes.begin || next->second.end < bytes.end) {
        return false;
    }
    out_within = next->second.range.lock();
    return true;
}

std::vector<host_piece> divide(std::byte* start, std::uint64_t bytes) {
    std::vector<host_piece> pieces;
    const host_bytes whole(start, bytes);
    range_table& table = live_ranges();
    const std::shared_lock lock(table.mutex);
    auto next = table.first_behind(whole.begin);
    for (std::uintptr_t at = whole.begin; at < whole.end;) {
        const bool inside = next != table.ranges.end() && next->first <= at;
        std::uintptr_t border = whole.end;
        if (next != table.ranges.end()) {
            border = std::min(border, inside ? next->second.end : next->first);
        }
        pieces.push_back({start + (at - whole.begin), border - at,
                          inside ? next->second.range.lock() : nullptr});
        at = border;
        if (inside) {
            ++next;
        }
    }
    return pieces;
}

bool is_live(const host_bytes& bytes) {
    range_table& table = live_ranges();
    const std::shared_lock lock(table.mutex);
    const auto found = table.ranges.find(bytes.begin);
    return found != table.ranges.end() && found->second.end == bytes.end;
}

}  // namespace spoc::detail
