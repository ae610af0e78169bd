// SPDX-License-Identifier: Apache-2.0
#include "painted_bytes.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace spoc::detail {

painted_bytes::pieces::const_iterator painted_bytes::first_behind(
    std::uintptr_t at) const noexcept {
    const auto next = pieces_.upper_bound(at);
    return next != pieces_.begin() && std::prev(next)->second.end > at ? std::prev(next) : next;
}

void painted_bytes::divide(std::uintptr_t at) {
    const auto next = pieces_.lower_bound(at);
    if (next == pieces_.begin()) {
        return;
    }
    piece& before = std::prev(next)->second;
    if (before.end > at) {
        pieces_.emplace_hint(next, at, before);
        before.end = at;
    }
}

void painted_bytes::paint(const host_bytes& range, std::uint64_t number) {
    if (range.is_empty()) {
        return;
    }
    try {
        divide(range.begin);
        divide(range.end);
        const auto next =
            pieces_.erase(pieces_.lower_bound(range.begin), pieces_.lower_bound(range.end));
        pieces_.emplace_hint(next, range.begin, piece{range.end, number});
    } catch (const std::bad_alloc&) {
        pieces_.clear();
        throw;
    }
}

std::uint64_t painted_bytes::highest(const host_bytes& range) const noexcept {
    std::uint64_t found = 0;
    for (auto one = first_behind(range.begin); one != pieces_.end() && one->first < range.end;
         ++one) {
        found = std::max(found, one->second.number);
    }
    return found;
}

void painted_bytes::forget_below(std::uint64_t least) noexcept {
    std::erase_if(pieces_, [least](const auto& one) { return one.second.number < least; });
}

}  // namespace spoc::detail
