// SPDX-License-Identifier: Apache-2.0
#include "ring.hpp"

#include <algorithm>

namespace spoc::model {

bool staging_ring::is_needed(const machine& all, const ring_piece& piece, const proofs& proved) {
    return piece.need != nullptr &&
           std::any_of(all.lanes.begin(), all.lanes.end(), [&](const lane_pointer& one) {
               const auto known = proved.find(one.get());
               const std::uint64_t complete = known == proved.end() ? 0 : known->second;
               return std::any_of(one->ledger.begin(), one->ledger.end(), [&](const entry& kept) {
                   return kept.at > complete && kept.has(piece.need.get());
               });
           });
}

void staging_ring::reclaim(const machine& all, const proofs& proved) {
    while (!pieces_.empty()) {
        const ring_piece& one = pieces_.front();
        if (is_needed(all, one, proved)) {
            return;
        }
        spare_marks_ += one.has_mark ? 1 : 0;
        first_ = (first_ + one.length) % units;
        used_ -= one.length;
        pieces_.pop_front();
    }
    unmarked_ = 0;
}

bool staging_ring::find_room(std::size_t length) {
    const std::size_t to_end = units - (first_ + used_) % units;
    const std::size_t skipped = to_end < length ? to_end : 0;
    if (skipped + length > units - used_) {
        return false;
    }
    if (skipped != 0) {
        pieces_.push_back({.length = skipped});
    }
    pieces_.push_back({.length = length});
    used_ += skipped + length;
    return true;
}

staging_ring::waiting staging_ring::oldest() const {
    const ring_piece& first = pieces_.front();
    const lane_pointer in = first.in.lock();
    for (const ring_piece& one : pieces_) {
        if (one.has_mark && one.in.lock() == in && one.marked >= first.at) {
            return {in, one.mark, one.marked};
        }
    }
    return {in, nullptr, in->committed};
}

ring_piece& staging_ring::take(const machine& all, const lane_pointer& on, std::uint64_t size,
                               proofs& proved, std::vector<waiting>& out_waits) {
    const std::size_t length = (size + unit - 1) / unit;
    for (reclaim(all, proved); !find_room(length); reclaim(all, proved)) {
        out_waits.push_back(oldest());
        const waiting& last = out_waits.back();
        proved[last.in.get()] = std::max(proved[last.in.get()], last.at);
    }
    ring_piece& taken = pieces_.back();
    taken.need = std::make_shared<int>(0);
    taken.in = on;
    taken.has_mark = unmarked_ >= most_piece / unit;
    unmarked_ = (taken.has_mark ? 0 : unmarked_) + length;
    if (taken.has_mark) {
        marks_made_ += spare_marks_ == 0 ? 1 : 0;
        spare_marks_ -= spare_marks_ == 0 ? 0 : 1;
    }
    return taken;
}

}  // namespace spoc::model
