// SPDX-License-Identifier: Apache-2.0

/// \file
/// What the ledger answers about host memory, compared with a walk through all that is pending.

#include "ledger.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>

#include "support/catch.hpp"

namespace spoc::detail {
namespace {

host_bytes range_of(std::uintptr_t begin, std::uintptr_t bytes) {
    host_bytes made;
    made.begin = begin;
    made.end = begin + bytes;
    return made;
}

work_needs needs_of(const host_bytes& host, bool writes) {
    work_needs made;
    made.host = host;
    made.writes_host = writes;
    return made;
}

/// A ledger, and all that it has to know in order.
class followed {
 public:
    void enqueue(const host_bytes& host, bool writes) {
        work_needs needs = needs_of(host, writes);
        const ledger::position at = own.reserve({&needs, 1});
        own.commit();
        pending.push_back({at, host, writes});
    }
    void fail(const host_bytes& host) {
        work_needs needs = needs_of(host, true);
        own.reserve({&needs, 1});
        CHECK(ledger::touches(host));
        own.withdraw({&needs, 1});
    }
    void release(std::size_t count) {
        if (const std::size_t going = std::min(count, pending.size()); going > 0) {
            own.release(pending[going - 1].at);
            pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(going));
        }
    }
    /// Position of the newest that touches, or writes, the range; 0: none.
    ledger::position newest(const host_bytes& host, bool writing) const {
        const auto found = std::find_if(pending.rbegin(), pending.rend(), [&](const entry& one) {
            return one.host.overlaps(host) && (one.writes || !writing);
        });
        return found == pending.rend() ? 0 : found->at;
    }
    bool agrees_on(const host_bytes& host) const {
        return ledger::touches(host) == (newest(host, false) != 0) &&
               ledger::is_written(host) == (newest(host, true) != 0);
    }

    struct entry {
        ledger::position at;
        host_bytes host;
        bool writes;
    };
    ledger own;
    std::deque<entry> pending;
};

}  // namespace

TEST_CASE("Whether pending work touches bytes is known however much is pending", "[R-513][R-608]") {
    std::mt19937 random(1);
    const auto below = [&random](std::uint32_t limit) {
        return static_cast<std::uint32_t>(random() % limit);
    };
    const auto any_range = [&] { return range_of(1 + below(5000), 1 + below(60)); };
    followed both;
    std::size_t most = 0;
    bool agree = true;
    for (int step = 0; step < 20'000; ++step) {
        // More comes than goes, until all goes: small and large ledgers, with an index and without.
        const std::uint32_t what = below(100);
        if (what < 55) {
            both.enqueue(any_range(), below(2) == 0);
        } else if (what < 60) {
            both.fail(any_range());
        } else if (what < 80) {
            both.release(below(4));
        } else if (what < 99) {
            agree = both.agrees_on(any_range()) && agree;
        } else if (below(10) == 0) {
            both.release(both.pending.size());
        }
        most = std::max(most, both.pending.size());
    }
    CHECK(agree);
    CHECK(most > 500);
    both.release(both.pending.size());
    CHECK_FALSE(ledger::touches(range_of(0, 10'000)));
}

TEST_CASE("What is kept for bytes stays until the newest work on them is complete", "[R-640]") {
    followed both;
    for (std::uintptr_t i = 0; i < 300; ++i) {
        both.enqueue(range_of(1 + i % 100 * 10, 10), false);
    }
    const auto kept = std::make_shared<usable>();
    const host_bytes range = range_of(1 + 42 * 10 + 9, 1);
    REQUIRE(ledger::keep(range, kept));
    both.release(242);
    CHECK(kept->in_use());
    both.release(1);
    CHECK_FALSE(kept->in_use());
    both.release(both.pending.size());
}

TEST_CASE("Work that is withdrawn takes nothing of its elders with it", "[R-003][R-512]") {
    followed both;
    both.enqueue(range_of(100, 10), true);
    work_needs several[3] = {needs_of(range_of(100, 10), true), needs_of(range_of(200, 10), true),
                             needs_of(range_of(300, 10), true)};
    const auto used = std::make_shared<usable>();
    several[2].uses.add(used);
    CHECK(both.own.reserve(several) == 4);
    CHECK(both.own.committed() == 1);
    both.own.withdraw(several);
    CHECK(several[2].uses.has(*used));
    CHECK(both.own.committed() == 4);
    CHECK(ledger::touches(range_of(100, 1)));
    CHECK_FALSE(ledger::touches(range_of(200, 200)));
    both.release(1);
    CHECK(both.own.is_empty());
}

}  // namespace spoc::detail
