// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <spoc/backend.h>

#include "common/status.hpp"
#include "gate.h"
#include "state.hpp"

namespace spoc::mock {

/// One call of an entry: holds the state's mutex, writes the call down and answers with a fault
/// where one is due.
///
///     call now(spoc_mock_entry_fill, stream->device, error);
///     now.record.bytes = fill->bytes;
///     if (!now.begin()) {
///         return now.status();
///     }
class call {
 public:
    call(std::uint32_t entry, spoc_be_device device, spoc_be_error* error);
    ~call();
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    /// Writes the call down. False: `status()` is the answer.
    bool begin();
    /// The same for an entry that ends an object: it does its work whatever `status()` says.
    void begin_ending();

    std::int32_t status() const noexcept { return status_; }
    std::int32_t answer(std::int32_t status) noexcept { return status_ = status; }
    std::int32_t fail(const plugin::failure& what, const std::string& sentence);
    /// The host broke the contract.
    std::int32_t breach(const std::string& sentence);
    /// The device does not offer it.
    std::int32_t refuse(const std::string& sentence) {
        return fail({.status = SPOC_BE_UNSUPPORTED}, sentence);
    }

    /// Whether `one` has not ended; otherwise a breach.
    bool is_alive(const object& one, const char* kind);

    bool is_lost() const noexcept { return device_ != nullptr && device_->lost; }
    /// Whether the device of the call has a capability.
    bool offers(std::uint32_t capability) const {
        return device_ != nullptr && mock::offers(device_->info, capability);
    }

    /// Whether the call goes without locks (setting QUIET).
    bool quiet() const noexcept { return !lock_.owns_lock(); }
    std::unique_lock<std::mutex>& lock() noexcept { return lock_; }
    const std::optional<fault>& told() const noexcept { return fault_; }

    state& all = the_state();
    spoc_mock_call record{};
    spoc_be_error* const error;

 private:
    void write_down();
    std::int32_t fail_as_told();

    const spoc_be_device device_;
    std::unique_lock<std::mutex> lock_;
    std::optional<fault> fault_;
    std::int32_t status_ = SPOC_BE_OK;
};

/// Notices that a second call of class H names an object, for as long as a scope. Made before the
/// lock is taken: the lock would put the two in order.
class exclusive {
 public:
    explicit exclusive(object& one) noexcept
        : one_(one), alone_(!one.busy.exchange(true, std::memory_order_relaxed)) {
        ++one_.uses;
    }
    ~exclusive() {
        if (alone_) {
            one_.busy.store(false, std::memory_order_relaxed);
        }
    }
    exclusive(const exclusive&) = delete;
    exclusive& operator=(const exclusive&) = delete;

    /// Otherwise a breach.
    bool holds(call& now) const {
        if (!alone_) {
            now.breach("Two calls of class H name one object at once.");
        }
        return alone_;
    }

 private:
    object& one_;
    const bool alone_;
};

/// The same for calls of class I.
class lifecycle_call {
 public:
    lifecycle_call() : alone_(!the_state().lifecycle_busy.exchange(true)) {}
    ~lifecycle_call() {
        if (alone_) {
            the_state().lifecycle_busy.store(false);
        }
    }
    lifecycle_call(const lifecycle_call&) = delete;
    lifecycle_call& operator=(const lifecycle_call&) = delete;

    void check(call& now) const {
        if (!alone_) {
            now.breach("Two calls of class I are made at once.");
        }
    }

 private:
    const bool alone_;
};

}  // namespace spoc::mock
