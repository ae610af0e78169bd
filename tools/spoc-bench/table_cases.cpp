// SPDX-License-Identifier: Apache-2.0

/// \file
/// Tables of libspoc's against plain containers that do the same. The ledger is measured as a class
/// in this program and not through libspoc: no plugin can be asked to hold 100,000 pieces of work
/// back, and with one that does, as the tests' can, its own queue would be most of the time.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include <spoc/host_memory.hpp>

#include "bench_case.hpp"
#include "ledger.hpp"

namespace spoc::bench {
namespace {

constexpr std::uint64_t live_entries = 100'000;
constexpr std::size_t live_ranges = 1000;
constexpr std::uint64_t range_bytes = 4096;

/// Where the host memory of work number `n` lies; only the address counts.
std::uintptr_t place_of(std::uint64_t n) { return (n + 1) * range_bytes; }

/// What a copy needs: one buffer, and host memory.
class held_ledger {
 public:
    held_ledger() { push(live_entries); }
    held_ledger(const held_ledger&) = delete;
    held_ledger& operator=(const held_ledger&) = delete;
    ~held_ledger() { entries_.release(pushed_); }

    void push(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            detail::work_needs needs;
            needs.uses.add(memory_);
            needs.host.begin = place_of(pushed_);
            needs.host.end = needs.host.begin + range_bytes;
            pushed_ = entries_.reserve({&needs, 1});
            entries_.commit();
        }
    }
    void release(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            entries_.release(++released_);
        }
    }
    /// Asks about host memory that no work touches, the costliest question.
    std::uint64_t query(std::uint64_t count) const {
        std::uint64_t touched = 0;
        detail::host_bytes range;
        range.begin = place_of(pushed_ + 1000);
        range.end = range.begin + 1;
        for (std::uint64_t i = 0; i < count; ++i) {
            touched += detail::ledger::touches(range) ? 1 : 0;
        }
        return touched;
    }

 private:
    std::shared_ptr<detail::usable> memory_ = std::make_shared<detail::usable>();
    detail::ledger entries_;
    std::uint64_t pushed_ = 0;
    std::uint64_t released_ = 0;
};

/// The same with the containers that come first to mind.
class plain_ledger {
 public:
    plain_ledger() { push(live_entries); }

    void push(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::lock_guard lock(mutex_);
            entries_.push_back({++pushed_, memory_});
            ranges_.emplace(place_of(pushed_), place_of(pushed_) + range_bytes);
        }
    }
    void release(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::lock_guard lock(mutex_);
            ranges_.erase(place_of(entries_.front().at));
            entries_.pop_front();
        }
    }
    std::uint64_t query(std::uint64_t count) const {
        std::uint64_t touched = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::lock_guard lock(mutex_);
            const auto next = ranges_.upper_bound(place_of(pushed_ + 1000));
            touched += next != ranges_.begin() && std::prev(next)->second > place_of(pushed_ + 1000)
                           ? 1
                           : 0;
        }
        return touched;
    }

 private:
    struct entry {
        std::uint64_t at;
        std::shared_ptr<detail::usable> needs;
    };
    mutable std::mutex mutex_;
    std::shared_ptr<detail::usable> memory_ = std::make_shared<detail::usable>();
    std::deque<entry> entries_;
    std::map<std::uintptr_t, std::uintptr_t> ranges_;
    std::uint64_t pushed_ = 0;
};

template <typename Ledger>
contender pushing(const std::shared_ptr<Ledger>& of) {
    return {[of](std::uint64_t calls) { of->push(calls); },
            {},
            [of](std::uint64_t calls) { of->release(calls); }};
}

template <typename Ledger>
contender releasing(const std::shared_ptr<Ledger>& of) {
    return {[of](std::uint64_t calls) { of->release(calls); },
            [of](std::uint64_t calls) { of->push(calls); },
            {}};
}

template <typename Ledger>
contender querying(const std::shared_ptr<Ledger>& of) {
    return {[of](std::uint64_t calls) {
                if (of->query(calls) != 0) {
                    throw std::logic_error("Work is said to touch memory that it does not.");
                }
            },
            {},
            {}};
}

/// Asks anew after each piece of work, so that what is prepared for a question is part of the time.
template <typename Ledger>
contender pushing_and_querying(const std::shared_ptr<Ledger>& of) {
    return {[of](std::uint64_t calls) {
                for (std::uint64_t i = 0; i < calls; ++i) {
                    of->push(1);
                    if (of->query(1) != 0) {
                        throw std::logic_error("Work is said to touch memory that it does not.");
                    }
                }
            },
            {},
            [of](std::uint64_t calls) { of->release(calls); }};
}

/// Live ranges, and their addresses in another order than that of the table.
struct live_memory {
    explicit live_memory(const device& where) {
        while (ranges.size() < live_ranges) {
            ranges.emplace_back(where, range_bytes);
            const auto begin = reinterpret_cast<std::uintptr_t>(ranges.back().data());
            plain.emplace(begin, begin + range_bytes);
        }
        for (std::size_t i = 0; i < live_ranges; ++i) {
            asked.push_back(ranges[i * 379 % live_ranges].data());
        }
    }
    bool is_in_plain(const void* start) const {
        const std::shared_lock lock(mutex);
        const auto begin = reinterpret_cast<std::uintptr_t>(start);
        const auto found = plain.find(begin);
        return found != plain.end() && found->second == begin + range_bytes;
    }

    std::vector<pinned_buffer<std::byte>> ranges;
    std::vector<const void*> asked;
    mutable std::shared_mutex mutex;
    std::map<std::uintptr_t, std::uintptr_t> plain;
};

/// Asks about one range after the other; all are live.
template <typename Question>
std::function<void(std::uint64_t)> asking(const std::shared_ptr<live_memory>& of,
                                          Question question) {
    return [of, question](std::uint64_t calls) {
        std::uint64_t live = 0;
        for (std::uint64_t i = 0; i < calls; ++i) {
            live += question(*of, of->asked[i % live_ranges]) ? 1 : 0;
        }
        if (live != calls) {
            throw std::logic_error("A range is live and is not found.");
        }
    };
}

}  // namespace

std::vector<contest> ledger_contests(const bench_place& /*place*/) {
    const auto own = std::make_shared<held_ledger>();
    const auto plain = std::make_shared<plain_ledger>();
    return {
        {"push", "a deque and a map", pushing(plain), pushing(own), std::nullopt, 4096},
        {"release", "the same", releasing(plain), releasing(own), std::nullopt, 4096},
        {"does work touch this?", "the same", querying(plain), querying(own), 1000, 64},
        {"the same after a push", "the same", pushing_and_querying(plain),
         pushing_and_querying(own), std::nullopt, 4096},
    };
}

std::vector<contest> pinned_contests(const bench_place& place) {
    if (place.where.capability(SPOC_BE_CAP_PINNED) != answer::yes) {
        return {};
    }
    const auto all = std::make_shared<live_memory>(place.where);
    contest live{"is this range live?", "a map", {}, {}, 51, 4096};
    live.raw.run =
        asking(all, [](const live_memory& of, const void* start) { return of.is_in_plain(start); });
    live.spoc.run = asking(all, [](const live_memory&, const void* start) {
        return spoc_host_memory_is_live(start, range_bytes) != 0;
    });
    std::vector<contest> made = crowded_copy_contests(place, live_ranges);
    made.push_back(live);
    return made;
}

}  // namespace spoc::bench
