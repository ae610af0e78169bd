// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <algorithm>

namespace spoc::model {

void machine::add_with_predecessors(const work& one, work_set& to) const {
    if (one.ran || !to.insert(&one).second) {
        return;
    }
    for (const work_pointer& other : one.in->queue) {
        if (other->sequence < one.sequence) {
            add_with_predecessors(*other, to);
        }
    }
    if (one.after != nullptr) {
        add_with_predecessors(*one.after, to);
    }
    for (const lane_pointer& other : lanes) {
        if (one.in->is_ordered_with(*other)) {
            for (const work_pointer& older : other->queue) {
                if (older->sequence < one.sequence) {
                    add_with_predecessors(*older, to);
                }
            }
        }
    }
}

void machine::add_all(const lane& target, work_set& to) const {
    for (const work_pointer& one : target.queue) {
        add_with_predecessors(*one, to);
    }
}

void machine::add_before(const lane& target, work_set& to) const {
    add_all(target, to);
    for (const lane_pointer& other : lanes) {
        if (target.is_ordered_with(*other)) {
            add_all(*other, to);
        }
    }
}

bool machine::may_run(const work& one) const {
    if (one.after != nullptr && !one.after->ran) {
        return false;
    }
    return std::none_of(lanes.begin(), lanes.end(), [&](const lane_pointer& other) {
        return one.in->is_ordered_with(*other) && !other->queue.empty() &&
               other->queue.front()->sequence < one.sequence;
    });
}

std::vector<lane*> machine::conflicts(const std::vector<touch>& touches,
                                      const work_set& ordered) const {
    std::vector<lane*> found;
    for (const lane_pointer& one : lanes) {
        const bool any =
            std::any_of(one->queue.begin(), one->queue.end(), [&](const work_pointer& pending) {
                return ordered.count(pending.get()) == 0 &&
                       std::any_of(touches.begin(), touches.end(), [&](const touch& wanted) {
                           return std::any_of(
                               pending->touches.begin(), pending->touches.end(),
                               [&](const touch& other) { return wanted.conflicts(other); });
                       });
            });
        if (any) {
            found.push_back(one.get());
        }
    }
    return found;
}

bool machine::needs(const void* what) const {
    return std::any_of(lanes.begin(), lanes.end(),
                       [what](const lane_pointer& one) { return one->needs(what); });
}

bool machine::touches_host(const std::byte* from, const std::byte* to) const {
    return std::any_of(lanes.begin(), lanes.end(), [&](const lane_pointer& one) {
        return std::any_of(one->ledger.begin(), one->ledger.end(),
                           [&](const entry& kept) { return kept.touches(from, to); });
    });
}

std::size_t machine::pending() const {
    std::size_t count = 0;
    for (const lane_pointer& one : lanes) {
        count += one->queue.size();
    }
    return count;
}

}  // namespace spoc::model
