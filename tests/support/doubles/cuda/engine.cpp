// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <algorithm>
#include <chrono>

namespace cuda_double {
namespace {

constexpr int thread_count = 3;

std::int64_t now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

engine& engine::the() {
    // Never ended: the driver's threads too are there until the process is gone.
    static engine* const one = new engine;
    return *one;
}

engine::engine() {
    for (int i = 0; i < thread_count; ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

void engine::add_queue(const std::shared_ptr<queue>& added) {
    const std::lock_guard lock(mutex_);
    forget_dead();
    queues_.push_back(added);
}

/// A destroyed stream stays until its work is done.
void engine::forget_dead() {
    const auto dead = [](const std::shared_ptr<queue>& one) {
        return one.use_count() == 1 && one->pieces.empty() && !one->busy;
    };
    queues_.erase(std::remove_if(queues_.begin(), queues_.end(), dead), queues_.end());
}

mark_pointer engine::add(queue& on, std::vector<mark_pointer> after, std::function<void()> run) {
    auto done = std::make_shared<mark>();
    {
        const std::lock_guard lock(mutex_);
        on.pieces.push_back({std::move(run), std::move(after), done, ++numbers_});
        on.last = done;
    }
    changed_.notify_all();
    return done;
}

mark_pointer engine::newest(const queue& of) {
    const std::lock_guard lock(mutex_);
    return of.last;
}

bool engine::is_reached(const mark_pointer& point) {
    const std::lock_guard lock(mutex_);
    return point == nullptr || point->reached;
}

void engine::wait(const mark_pointer& point) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return point == nullptr || point->reached; });
}

void engine::hold(bool on) {
    {
        const std::lock_guard lock(mutex_);
        held_ = on;
    }
    changed_.notify_all();
}

std::uint64_t engine::release(std::uint64_t count) {
    std::unique_lock lock(mutex_);
    std::uint64_t ran = 0;
    while (ran < count) {
        const std::shared_ptr<queue> from = next();
        if (from == nullptr) {
            break;
        }
        run_next(lock, from);
        ++ran;
    }
    return ran;
}

std::uint64_t engine::pending() {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    for (const std::shared_ptr<queue>& one : queues_) {
        count += one->pieces.size() + (one->busy ? 1 : 0);
    }
    return count;
}

bool engine::is_ready(const queue& one) const {
    return !one.busy && !one.pieces.empty() &&
           std::all_of(one.pieces.front().after.begin(), one.pieces.front().after.end(),
                       [](const mark_pointer& point) { return point->reached; });
}

std::shared_ptr<queue> engine::next() const {
    std::shared_ptr<queue> oldest;
    for (const std::shared_ptr<queue>& one : queues_) {
        if (is_ready(*one) &&
            (oldest == nullptr || one->pieces.front().number < oldest->pieces.front().number)) {
            oldest = one;
        }
    }
    return oldest;
}

void engine::run_next(std::unique_lock<std::mutex>& lock, const std::shared_ptr<queue>& from) {
    queue::piece piece = std::move(from->pieces.front());
    from->pieces.pop_front();
    from->busy = true;
    lock.unlock();
    piece.run();
    piece.run = nullptr;  // what it held ends outside of the lock
    lock.lock();
    from->busy = false;
    piece.done->reached = true;
    piece.done->at = now_ns();
    changed_.notify_all();
}

void engine::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        std::shared_ptr<queue> from;
        changed_.wait(lock, [&] {
            from = held_ ? nullptr : next();
            return from != nullptr;
        });
        run_next(lock, from);
    }
}

}  // namespace cuda_double
