// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <spoc/stats.h>

namespace spoc::detail {

/// Page-locked memory that is held, by what it is for.
enum class locked_memory : std::uint8_t { allocated, registered, ring, slot };
inline constexpr std::size_t locked_memory_kinds = 4;

/// Handles of the program's that are alive, by kind; counted only when leaks are looked for.
enum class handle_kind : std::uint8_t {
    buffer,
    vector,
    stream,
    event,
    pinned,
    registration,
    program,
    kernel
};
inline constexpr std::size_t handle_kinds = 8;

/// How many there are of something, and their bytes.
struct tally {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};

/// Accounts of a device, or of the process, which counts along with every device. Any thread.
///
/// Relaxed throughout: each figure is right by itself once its calls have returned, and nothing is
/// concluded from two of them.
class account {
 public:
    /// `whole` counts along; null: the process's own.
    account(std::string name, account* whole);
    account(const account&) = delete;
    account& operator=(const account&) = delete;
    ~account();

    /// The process's. Lives as long as it does.
    static account& of_process();
    /// Calls `look` for the process's account and then for every device's, in order of making. It
    /// must not make or end any.
    static void for_each(const std::function<void(account&)>& look);

    const std::string& name() const noexcept { return name_; }

    void allocated(std::uint64_t bytes) noexcept;
    void freed(std::uint64_t bytes, bool by_program) noexcept;
    void retried() noexcept;

    void add(locked_memory what, std::uint64_t bytes) noexcept;
    void remove(locked_memory what, std::uint64_t bytes) noexcept;

    /// Of handles only this account knows: the process's has those that name no device.
    void add(handle_kind what, std::uint64_t bytes) noexcept;
    void remove(handle_kind what, std::uint64_t bytes) noexcept;
    tally handles(handle_kind what) const noexcept;

    /// `size` is left at 0.
    spoc_stats read() const noexcept;
    /// What is held stays.
    void reset() noexcept;

 private:
    class counter {
     public:
        void add(std::uint64_t count, std::uint64_t bytes) noexcept {
            count_.fetch_add(count, std::memory_order_relaxed);
            bytes_.fetch_add(bytes, std::memory_order_relaxed);
        }
        void remove(std::uint64_t count, std::uint64_t bytes) noexcept {
            count_.fetch_sub(count, std::memory_order_relaxed);
            bytes_.fetch_sub(bytes, std::memory_order_relaxed);
        }
        tally read() const noexcept {
            return {count_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
        }
        void clear() noexcept {
            count_.store(0, std::memory_order_relaxed);
            bytes_.store(0, std::memory_order_relaxed);
        }

     private:
        std::atomic<std::uint64_t> count_{0};
        std::atomic<std::uint64_t> bytes_{0};
    };

    void raise_peak(std::uint64_t bytes) noexcept;
    /// Writes a device's bytes into the trace; the process's are the sum of what is drawn.
    void trace() const noexcept;

    const std::string name_;
    account* const whole_;
    std::atomic<std::uint64_t> buffers_{0};
    std::atomic<std::uint64_t> bytes_{0};
    std::atomic<std::uint64_t> peak_{0};
    std::atomic<std::uint64_t> allocations_{0};
    std::atomic<std::uint64_t> retries_{0};
    counter by_program_;
    counter by_itself_;
    std::array<counter, locked_memory_kinds> locked_;
    std::array<counter, handle_kinds> handles_;
};

}  // namespace spoc::detail
