// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::detail {

/// The word that plugins read through `spoc_be_host.process_state` (`SPOC_BE_PROCESS_*`).
const volatile std::uint32_t* process_state_word() noexcept;

/// The same, as a value.
std::uint32_t process_state() noexcept;

/// Installs the fork handler. Once in a process, when the runtime first starts.
void watch_forks();

/// To be called after a driver may have been initialised: from now on a forked child is told that
/// it cannot go on, and the exit hook is registered again, so that it runs before whatever handlers
/// that driver registered.
void drivers_may_be_alive() noexcept;

/// Asks for `quiesce(EXIT)` when the process ends. Entries are never removed: plugins stay mapped.
/// One caller at a time. Throws `std::bad_alloc` when there is no memory to note it in.
void quiesce_at_exit(void (*quiesce)(std::uint32_t reason));

/// A call into the library that is in flight. Shutdown, exit and fork look at the number of them.
class call_guard {
 public:
    call_guard() noexcept;
    ~call_guard();
    call_guard(const call_guard&) = delete;
    call_guard& operator=(const call_guard&) = delete;

    /// `SPOC_BE_PROCESS_*` as it was when the call began; go on only when RUNNING.
    std::uint32_t state() const noexcept { return state_; }

 private:
    std::uint32_t shard_;
    std::uint32_t parity_;
    std::uint32_t state_;
};

/// A start or shutdown in flight. Counted apart from other calls, since shutdown waits for those.
class lifecycle_guard {
 public:
    lifecycle_guard() noexcept;
    ~lifecycle_guard();
    lifecycle_guard(const lifecycle_guard&) = delete;
    lifecycle_guard& operator=(const lifecycle_guard&) = delete;
};

/// Waits until every call that began before this one has ended. One caller at a time; a call that
/// begins later is not waited for, so what makes it turn away must be in place already.
void wait_for_earlier_calls() noexcept;

/// Calls in flight on all threads, starts and shutdowns aside.
std::uint64_t calls_in_flight() noexcept;

}  // namespace spoc::detail
