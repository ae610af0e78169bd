// SPDX-License-Identifier: Apache-2.0
#include "process_state.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>

namespace spoc::detail {
namespace {

using word = std::atomic<std::uint32_t>;
static_assert(sizeof(word) == sizeof(std::uint32_t) && word::is_always_lock_free);

/// Used when no page can be had; then only the fork handler tells a child.
word fallback_word{SPOC_BE_PROCESS_RUNNING};

/// The state word has a page to itself, because `MADV_WIPEONFORK` works on pages.
word* make_word() noexcept {
    void* page = mmap(nullptr, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
                      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? &fallback_word : new (page) word(SPOC_BE_PROCESS_RUNNING);
}

word& state_word() noexcept {
    static word* const instance = make_word();
    return *instance;
}

/// Calls in flight, spread over cache lines so that threads on different streams do not contend. A
/// call counts in the generation in which it began, so that shutdown waits for those before it and
/// not for a stream of later ones that are refused.
constexpr std::size_t shard_count = 16;
struct alignas(64) shard {
    std::array<std::atomic<std::uint64_t>, 2> calls{};
};
std::array<shard, shard_count> shards;
std::atomic<std::uint32_t> generation{0};

std::uint64_t calls_of(std::uint32_t parity) noexcept {
    std::uint64_t sum = 0;
    for (const shard& s : shards) {
        sum += s.calls[parity].load(std::memory_order_seq_cst);
    }
    return sum;
}

std::uint32_t own_shard() noexcept {
    static std::atomic<std::uint32_t> next{0};
    thread_local const std::uint32_t mine =
        next.fetch_add(1, std::memory_order_relaxed) % shard_count;
    return mine;
}

std::atomic<bool> drivers_alive{false};
std::atomic<std::uint64_t> lifecycle_calls{0};

/// Runs in the child, where other threads are gone: no lock is taken. A lock of ours that one of
/// them held stays held for ever, so calls in flight make the child unusable just as live drivers
/// do.
void after_fork_in_child() {
    if (drivers_alive.load(std::memory_order_relaxed) || calls_in_flight() != 0 ||
        lifecycle_calls.load() != 0) {
        state_word().store(SPOC_BE_PROCESS_FORK_CHILD, std::memory_order_seq_cst);
    }
}

/// A plugin to be told at exit, and those that asked before it. Never freed: the exit hook walks
/// the list without a lock.
struct quiesce_entry {
    void (*quiesce)(std::uint32_t reason);
    const quiesce_entry* before;
};
std::atomic<const quiesce_entry*> last_to_quiesce{nullptr};

/// How long a process that ends waits for calls in flight. They may be stuck in a driver, and the
/// user is waiting.
constexpr std::chrono::milliseconds exit_patience{200};

void at_exit() {
    std::uint32_t running = SPOC_BE_PROCESS_RUNNING;
    if (!state_word().compare_exchange_strong(running, SPOC_BE_PROCESS_EXITING)) {
        return;  // a forked child, or an earlier registration of this hook has done it
    }
    const auto deadline = std::chrono::steady_clock::now() + exit_patience;
    while ((calls_in_flight() != 0 || lifecycle_calls.load() != 0) &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (const quiesce_entry* entry = last_to_quiesce.load(); entry != nullptr;
         entry = entry->before) {
        entry->quiesce(SPOC_BE_QUIESCE_EXIT);
    }
}

}  // namespace

const volatile std::uint32_t* process_state_word() noexcept {
    return reinterpret_cast<const volatile std::uint32_t*>(&state_word());
}

std::uint32_t process_state() noexcept { return state_word().load(std::memory_order_seq_cst); }

void watch_forks() {
    static const int registered = pthread_atfork(nullptr, nullptr, after_fork_in_child);
    static_cast<void>(registered);
    state_word();
}

void drivers_may_be_alive() noexcept {
    drivers_alive.store(true, std::memory_order_relaxed);
    word& state = state_word();
#ifdef MADV_WIPEONFORK
    if (&state != &fallback_word) {
        // Covers children made without the C library's fork. A kernel that refuses leaves the fork
        // handler.
        static_cast<void>(
            madvise(&state, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), MADV_WIPEONFORK));
    }
#endif
    // Exit handlers run last in, first out, so this registration precedes those of drivers
    // initialised until now.
    static_cast<void>(std::atexit(at_exit));
}

void quiesce_at_exit(void (*quiesce)(std::uint32_t reason)) {
    const quiesce_entry* const last = last_to_quiesce.load();
    for (const quiesce_entry* entry = last; entry != nullptr; entry = entry->before) {
        if (entry->quiesce == quiesce) {
            return;  // the same plugin, enumerated again after a shutdown
        }
    }
    last_to_quiesce.store(new quiesce_entry{quiesce, last});
}

call_guard::call_guard() noexcept
    : shard_(own_shard()), parity_(generation.load(std::memory_order_seq_cst) % 2) {
    shards[shard_].calls[parity_].fetch_add(1, std::memory_order_seq_cst);
    state_ = process_state();
}

call_guard::~call_guard() { shards[shard_].calls[parity_].fetch_sub(1, std::memory_order_seq_cst); }

lifecycle_guard::lifecycle_guard() noexcept { lifecycle_calls.fetch_add(1); }
lifecycle_guard::~lifecycle_guard() { lifecycle_calls.fetch_sub(1); }

std::uint64_t calls_in_flight() noexcept { return calls_of(0) + calls_of(1); }

void wait_for_earlier_calls() noexcept {
    const std::uint32_t before = generation.fetch_add(1, std::memory_order_seq_cst) % 2;
    // Calls end soon or are in a driver for long; neither wants a busy loop.
    while (calls_of(before) != 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

}  // namespace spoc::detail
