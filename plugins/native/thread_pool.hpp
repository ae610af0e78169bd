// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "common/host.hpp"

namespace spoc::native {

/// Numbered pieces of work that several threads share out among themselves. Lives on the stack of
/// the thread that runs it, which takes part.
class task {
 public:
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    virtual ~task() = default;

 protected:
    /// `lanes`: most threads that may take part, from 1.
    task(uint64_t count, uint32_t lanes) noexcept;

    /// Runs the pieces from `begin` to `end`. Each thread has a `lane` of its own below `lanes`.
    /// May throw, which ends the task.
    virtual void run(uint32_t lane, uint64_t begin, uint64_t end) = 0;

 private:
    friend class thread_pool;

    /// Runs the next pieces; false when there are none left.
    bool step(uint32_t lane) noexcept;

    const uint64_t count_;
    const uint64_t stride_;  ///< pieces taken at once
    std::atomic<uint64_t> next_{0};
    std::atomic<bool> threw_{false};

    // Under the pool's lock:
    const uint32_t lanes_;
    uint32_t joined_ = 0;            ///< threads that ever took part, beside the owner
    uint32_t helpers_ = 0;           ///< of them at work now
    std::condition_variable alone_;  ///< `helpers_` became 0
    task* behind_ = nullptr;         ///< next task in the queue
};

/// Threads that help with tasks. They are started by the first task that can use them.
///
/// The owner of a task takes pieces until none is left, so that a task never waits for a thread
/// that has not begun: it ends when the pool is busy with others, could start no thread, or was
/// told to stop.
class thread_pool {
 public:
    /// `width`: most threads that work on one task, its owner included; at least 1.
    thread_pool(plugin::host& host, uint32_t width) noexcept : host_(host), width_(width) {}
    /// No task may be running. Waits for the threads.
    ~thread_pool();
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;

    /// Most threads that can share `count` pieces; at least 1.
    uint32_t lanes(uint64_t count) const noexcept;

    /// Runs a task and waits for it. False when a piece threw; pieces may then have been left out.
    /// Any number of threads may call this at once.
    bool run(task& work) noexcept;

 private:
    void offer(task& work) noexcept;
    void withdraw(task& work) noexcept;
    void start_threads() noexcept;
    void serve() noexcept;
    void help(std::unique_lock<std::mutex>& lock, task& work) noexcept;
    void append(task& work) noexcept;
    void remove(const task& work) noexcept;

    plugin::host& host_;
    const uint32_t width_;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::unique_ptr<pthread_t[]> threads_;
    uint32_t thread_count_ = 0;
    bool started_ = false;
    bool stopping_ = false;
    task* waiting_ = nullptr;  ///< tasks that want helpers, in turn
};

}  // namespace spoc::native
