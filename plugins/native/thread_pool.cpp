// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.hpp"

#include <signal.h>

#include <algorithm>
#include <new>
#include <utility>

#include "machine.hpp"

namespace spoc::native {
namespace {

/// Pieces a thread takes at once: few enough that threads end together, many enough that taking
/// them costs little.
uint64_t stride(uint64_t count, uint32_t lanes) {
    constexpr uint64_t turns = 8;
    return std::max<uint64_t>(1, count / (lanes * turns));
}

/// While one lives, threads that the caller makes start with every signal blocked: the
/// application's handlers must not run on threads it does not know.
class signals_blocked {
 public:
    signals_blocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

 private:
    sigset_t before_;
};

}  // namespace

task::task(uint64_t count, uint32_t lanes) noexcept
    : count_(count), stride_(stride(count, lanes)), lanes_(lanes) {}

bool task::step(uint32_t lane) noexcept {
    const uint64_t begin = next_.fetch_add(stride_, std::memory_order_relaxed);
    if (begin >= count_) {
        return false;
    }
    try {
        run(lane, begin, std::min(begin + stride_, count_));
        return true;
    } catch (...) {
        threw_.store(true, std::memory_order_relaxed);
        next_.store(count_, std::memory_order_relaxed);
        return false;
    }
}

thread_pool::~thread_pool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        wake_.notify_all();
    }
    std::for_each_n(threads_.get(), thread_count_,
                    [](pthread_t thread) { pthread_join(thread, nullptr); });
}

uint32_t thread_pool::lanes(uint64_t count) const noexcept {
    return static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, width_));
}

bool thread_pool::run(task& work) noexcept {
    const bool shared = work.lanes_ > 1;
    if (shared) {
        offer(work);
    }
    while (work.step(0)) {
    }
    if (shared) {
        withdraw(work);
    }
    return !work.threw_.load(std::memory_order_relaxed);
}

void thread_pool::offer(task& work) noexcept {
    const std::lock_guard lock(mutex_);
    start_threads();
    append(work);
    for (uint32_t wanted = std::min(work.lanes_ - 1, thread_count_); wanted > 0; --wanted) {
        wake_.notify_one();
    }
}

void thread_pool::withdraw(task& work) noexcept {
    std::unique_lock lock(mutex_);
    remove(work);
    work.alone_.wait(lock, [&work] { return work.helpers_ == 0; });
}

/// Starts as many threads as the system allows, once. None after the process began to leave.
void thread_pool::start_threads() noexcept {
    if (started_ || !host_.running()) {
        return;
    }
    started_ = true;
    threads_.reset(new (std::nothrow) pthread_t[width_]);
    const auto main = [](void* pool) -> void* {
        static_cast<thread_pool*>(pool)->serve();
        return nullptr;
    };
    const signals_blocked guard;
    while (threads_ != nullptr && thread_count_ + 1 < width_ &&
           pthread_create(&threads_[thread_count_], nullptr, main, this) == 0) {
        const pthread_t thread = threads_[thread_count_++];
        pthread_setname_np(thread, "spoc-native");
        // The threads start where their maker may run, which can be one CPU when the application
        // binds its threads.
        pthread_setaffinity_np(thread, sizeof(cpu_set_t), &this_machine().cpus);
    }
}

/// What a thread of the pool does all its life.
void thread_pool::serve() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
        // A thread that may no longer work sleeps on: one that ended here would have to be joined
        // by an exit that does not wait.
        wake_.wait(lock, [this] { return stopping_ || (waiting_ != nullptr && host_.running()); });
        if (stopping_) {
            return;
        }
        help(lock, *waiting_);
    }
}

void thread_pool::help(std::unique_lock<std::mutex>& lock, task& work) noexcept {
    const uint32_t lane = ++work.joined_;
    ++work.helpers_;
    // To the end of the queue, so that several launches at once get helpers in turn.
    remove(work);
    if (lane + 1 < work.lanes_) {
        append(work);
    }
    lock.unlock();
    while (host_.running() && work.step(lane)) {
    }
    lock.lock();
    remove(work);
    if (--work.helpers_ == 0) {
        work.alone_.notify_one();
    }
}

void thread_pool::append(task& work) noexcept {
    task** at = &waiting_;
    while (*at != nullptr) {
        at = &(*at)->behind_;
    }
    *at = &work;
}

/// Does nothing when `work` is not in the queue.
void thread_pool::remove(const task& work) noexcept {
    for (task** at = &waiting_; *at != nullptr; at = &(*at)->behind_) {
        if (*at == &work) {
            *at = std::exchange((*at)->behind_, nullptr);
            return;
        }
    }
}

}  // namespace spoc::native
