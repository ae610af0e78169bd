// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cuda_double {

/// A point of a stream that is reached or not. `at` is when, in nanoseconds of a clock that only
/// goes forward.
struct mark {
    bool reached = false;
    std::int64_t at = 0;
};
using mark_pointer = std::shared_ptr<mark>;

/// Work of one stream, in its order. Everything in it is the engine's, under the engine's mutex.
struct queue {
    struct piece {
        std::function<void()> run;
        std::vector<mark_pointer> after;  ///< of other streams
        mark_pointer done;
        std::uint64_t number = 0;  ///< counted over all streams
    };
    std::deque<piece> pieces;
    mark_pointer last;  ///< of the newest piece, or null
    bool busy = false;
};

/// Runs the work of all streams on a few threads.
class engine {
 public:
    static engine& the();

    /// Adds a piece of work that begins once what is before it on `on`, and all of `after`, is
    /// done.
    mark_pointer add(queue& on, std::vector<mark_pointer> after, std::function<void()> run);
    /// The newest point of a stream, or null.
    mark_pointer newest(const queue& of);
    bool is_reached(const mark_pointer& point);
    void wait(const mark_pointer& point);

    void hold(bool on);
    std::uint64_t release(std::uint64_t count);
    std::uint64_t pending();

    /// A stream that is alive; the engine looks there for work.
    void add_queue(const std::shared_ptr<queue>& added);

 private:
    engine();
    void work();
    bool is_ready(const queue& one) const;
    /// The stream whose next piece is the oldest that can run, or null.
    std::shared_ptr<queue> next() const;
    void run_next(std::unique_lock<std::mutex>& lock, const std::shared_ptr<queue>& from);
    void forget_dead();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<queue>> queues_;
    std::uint64_t numbers_ = 0;
    bool held_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace cuda_double
