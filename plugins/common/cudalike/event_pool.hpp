// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "backend.hpp"
#include "driver.hpp"

namespace spoc::cudalike {

/// Events of one device that nobody uses, of either kind: making one costs the driver several times
/// what recording it does.
class event_pool {
 public:
    /// Of the pool's or a new one. The device is current.
    driver::result take(bool timed, driver::event& out) noexcept {
        {
            const std::lock_guard lock(mutex_);
            stack& kept = timed ? timed_ : untimed_;
            if (kept.count > 0) {
                out = kept.events[--kept.count];
                return driver::success;
            }
        }
        return api().event_create(&out, timed ? 0 : driver::event_disable_timing);
    }

    /// Takes an event back. Waits on it may be pending: they mean the recording that was there when
    /// they were made. The device is current.
    driver::result give(bool timed, driver::event ended) noexcept {
        {
            const std::lock_guard lock(mutex_);
            stack& kept = timed ? timed_ : untimed_;
            if (kept.count < kept.events.size()) {
                kept.events[kept.count++] = ended;
                return driver::success;
            }
        }
        return api().event_destroy(ended);
    }

    /// Ends all that it holds. The device is current.
    void clear() noexcept {
        for (stack* kept : {&timed_, &untimed_}) {
            while (kept->count > 0) {
                static_cast<void>(api().event_destroy(kept->events[--kept->count]));
            }
        }
    }

 private:
    struct stack {
        std::array<driver::event, 256> events{};
        std::size_t count = 0;
    };

    std::mutex mutex_;
    stack timed_;
    stack untimed_;
};

}  // namespace spoc::cudalike
