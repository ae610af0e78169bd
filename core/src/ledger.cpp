// SPDX-License-Identifier: Apache-2.0
#include "ledger.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "process_state.hpp"

namespace spoc::detail {

/// Of a ledger that ended with entries.
struct ledger::unproved_entries {
    std::vector<entry> entries;
    unproved_entries* next;
};

struct ledger::directory {
    std::mutex mutex;  ///< taken before a ledger's
    std::vector<ledger*> alive;
    unproved_entries* unproved = nullptr;
};

/// Kept until the process ends: late destructors of the program still come here.
ledger::directory& ledger::all() {
    static directory* const instance = new directory;
    return *instance;
}

ledger::ledger() {
    const std::lock_guard lock(all().mutex);
    all().alive.push_back(this);
}

ledger::~ledger() {
    // In a forked child the mutex may be held for ever, and nothing is released there.
    if (process_state() == SPOC_BE_PROCESS_FORK_CHILD) {
        static_cast<void>(new (std::nothrow) std::vector<entry>(std::move(ring_)));
        return;
    }
    const std::lock_guard lock(all().mutex);
    std::erase(all().alive, this);
    if (!is_empty()) {
        // A device may still touch what they keep: never freed, only remembered.
        all().unproved = new (std::nothrow) unproved_entries{std::move(ring_), all().unproved};
    }
}

ledger::position ledger::reserve(std::span<work_needs> needs) {
    if (needs.empty()) {
        return 0;
    }
    const std::lock_guard lock(mutex_);
    while (ring_.size() - count() < needs.size()) {
        grow();
    }
    for (work_needs& one : needs) {
        entry& place = slot(count());
        place.at = ++reserved_;
        place.needs = std::move(one);
        set_count(count() + 1);
    }
    return reserved_;
}

void ledger::grow() {
    std::vector<entry> larger(std::max<std::size_t>(16, 2 * ring_.size()));
    for (std::size_t i = 0; i < count(); ++i) {
        larger[i] = std::move(slot(i));
    }
    ring_.swap(larger);
    first_ = 0;
}

void ledger::withdraw(std::span<work_needs> needs) noexcept {
    if (needs.empty()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    set_count(count() - needs.size());
    for (std::size_t i = 0; i < needs.size(); ++i) {
        needs[i] = std::move(slot(count() + i).needs);
    }
    // The positions are not used again: somebody may have noted them.
    commit();
}

bool ledger::needs(const usable& what) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < count(); ++i) {
        if (slot(i).needs.uses.has(what)) {
            return true;
        }
    }
    return false;
}

bool ledger::writes(const host_bytes& range) const {
    const std::lock_guard lock(mutex_);
    return newest(range, true) != 0;
}

void ledger::release(position at) noexcept {
    if (is_empty()) {
        return;
    }
    // Declared before the locks, so that they end after them.
    byte_index of_nothing;
    for (;;) {
        work_needs ended;
        const std::lock_guard lock(mutex_);
        if (index_.covers != 0 && (is_empty() || slot(0).at > index_.covers)) {
            std::swap(of_nothing, index_);
        }
        if (count() == 0 || slot(0).at > at) {
            return;
        }
        ended = std::move(slot(0).needs);
        first_ = (first_ + 1) & (ring_.size() - 1);
        set_count(count() - 1);
    }
}

std::size_t ledger::count_up_to(position at) const noexcept {
    std::size_t least = 0;
    std::size_t most = count();
    while (least < most) {
        const std::size_t middle = least + (most - least) / 2;
        if (slot(middle).at <= at) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    return least;
}

ledger::position ledger::newest(const host_bytes& range, bool writing) const noexcept {
    catch_up();
    for (std::size_t i = count(); i > 0 && slot(i - 1).at > index_.covers; --i) {
        const work_needs& needs = slot(i - 1).needs;
        if ((needs.writes_host || !writing) && needs.host.overlaps(range)) {
            return slot(i - 1).at;
        }
    }
    const position found = (writing ? index_.written : index_.touched).highest(range);
    return count() > 0 && found >= slot(0).at ? found : 0;
}

void ledger::catch_up() const noexcept {
    // Fewer are looked at one by one sooner than they are entered, and never entered if they go.
    constexpr std::size_t few = 64;
    const position covers = committed();
    const std::size_t begin = count_up_to(index_.covers);
    const std::size_t end = count_up_to(covers);
    if (end - begin <= few) {
        return;
    }
    try {
        for (std::size_t i = begin; i < end; ++i) {
            const entry& one = slot(i);
            index_.touched.paint(one.needs.host, one.at);
            if (one.needs.writes_host) {
                index_.written.paint(one.needs.host, one.at);
            }
        }
        index_.covers = covers;
    } catch (const std::bad_alloc&) {
        index_ = {};  // then all are looked at one by one
    }
    // Those that are left have two pieces each at most. Others are of entries that went.
    for (painted_bytes* const painted : {&index_.touched, &index_.written}) {
        if (painted->size() > 4 * count()) {
            painted->forget_below(slot(0).at);
        }
    }
}

bool ledger::touches(const host_bytes& range) {
    const std::lock_guard lock(all().mutex);
    return std::any_of(all().alive.begin(), all().alive.end(), [&](const ledger* one) {
        const std::lock_guard entries(one->mutex_);
        return one->newest(range, false) != 0;
    });
}

bool ledger::is_written(const host_bytes& range) {
    const std::lock_guard lock(all().mutex);
    return std::any_of(all().alive.begin(), all().alive.end(),
                       [&](const ledger* one) { return one->writes(range); });
}

bool ledger::keep(const host_bytes& range, const std::shared_ptr<usable>& what) noexcept {
    try {
        const std::lock_guard lock(all().mutex);
        for (ledger* const one : all().alive) {
            const std::lock_guard entries(one->mutex_);
            if (const position found = one->newest(range, false); found != 0) {
                one->slot(one->count_up_to(found) - 1).needs.uses.add(what);
            }
        }
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace spoc::detail
