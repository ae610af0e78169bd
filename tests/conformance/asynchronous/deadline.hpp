// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "backend.hpp"

namespace spoc::asynchronous {

/// Waits under the lock until `holds` does, at most `timeout_ns` nanoseconds. Whether it does.
template <typename Condition>
bool wait_until(std::unique_lock<std::mutex>& lock, uint64_t timeout_ns, Condition holds) {
    using clock = std::chrono::steady_clock;
    if (holds() || timeout_ns == 0) {
        return holds();
    }
    const clock::time_point now = clock::now();
    const auto most = (clock::time_point::max() - now) / std::chrono::nanoseconds(1);
    if (timeout_ns > static_cast<uint64_t>(most)) {
        // Beyond any deadline that the clock can express is for ever.
        the_backend.state->changed.wait(lock, holds);
        return true;
    }
    return the_backend.state->changed.wait_until(lock, now + std::chrono::nanoseconds(timeout_ns),
                                                 holds);
}

}  // namespace spoc::asynchronous
