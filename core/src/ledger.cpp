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
    if (count_ > 0) {
        // A device may still touch what they keep: never freed, only remembered.
        all().unproved = new (std::nothrow) unproved_entries{std::move(ring_), all().unproved};
    }
}

ledger::position ledger::reserve(work_needs needs) {
    const std::lock_guard lock(mutex_);
    if (count_ == ring_.size()) {
        grow();
    }
    slot(count_) = {reserved_ + 1, std::move(needs)};
    ++count_;
    return ++reserved_;
}

void ledger::grow() {
    std::vector<entry> larger(std::max<std::size_t>(16, 2 * ring_.size()));
    for (std::size_t i = 0; i < count_; ++i) {
        larger[i] = std::move(slot(i));
    }
    ring_.swap(larger);
    first_ = 0;
}

void ledger::commit() noexcept {
    const std::lock_guard lock(mutex_);
    committed_ = reserved_;
}

work_needs ledger::withdraw() noexcept {
    const std::lock_guard lock(mutex_);
    --count_;
    // The position is not used again: somebody may have noted it.
    committed_ = reserved_;
    return std::move(slot(count_).needs);
}

ledger::position ledger::committed() const {
    const std::lock_guard lock(mutex_);
    return committed_;
}

bool ledger::is_empty() const {
    const std::lock_guard lock(mutex_);
    return count_ == 0;
}

bool ledger::needs(const usable& what) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < count_; ++i) {
        if (slot(i).needs.uses.has(what)) {
            return true;
        }
    }
    return false;
}

bool ledger::writes(const host_bytes& range) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < count_; ++i) {
        if (slot(i).needs.writes_host && slot(i).needs.host.overlaps(range)) {
            return true;
        }
    }
    return false;
}

void ledger::release(position at) noexcept {
    for (;;) {
        // Declared before the lock, so that it ends after it.
        work_needs ended;
        const std::lock_guard lock(mutex_);
        if (count_ == 0 || slot(0).at > at) {
            return;
        }
        ended = std::move(slot(0).needs);
        first_ = (first_ + 1) & (ring_.size() - 1);
        --count_;
    }
}

ledger::entry* ledger::newest(const host_bytes& range) noexcept {
    for (std::size_t i = count_; i > 0; --i) {
        if (slot(i - 1).needs.host.overlaps(range)) {
            return &slot(i - 1);
        }
    }
    return nullptr;
}

bool ledger::touches(const host_bytes& range) {
    const std::lock_guard lock(all().mutex);
    return std::any_of(all().alive.begin(), all().alive.end(), [&](ledger* one) {
        const std::lock_guard entries(one->mutex_);
        return one->newest(range) != nullptr;
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
            if (entry* const found = one->newest(range); found != nullptr) {
                found->needs.uses.add(what);
            }
        }
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace spoc::detail
