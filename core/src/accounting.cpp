// SPDX-License-Identifier: Apache-2.0
#include "accounting.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "trace.hpp"

namespace spoc::detail {
namespace {

struct directory {
    std::mutex mutex;
    std::vector<account*> devices;
};

/// Kept until the process ends, when the accounts are printed.
directory& all_accounts() {
    static directory* const instance = new directory;
    return *instance;
}

}  // namespace

account::account(std::string name, account* whole) : name_(std::move(name)), whole_(whole) {
    if (whole_ != nullptr) {
        const std::lock_guard lock(all_accounts().mutex);
        all_accounts().devices.push_back(this);
    }
}

account::~account() {
    const std::lock_guard lock(all_accounts().mutex);
    std::erase(all_accounts().devices, this);
}

account& account::of_process() {
    static account* const instance = new account("all devices", nullptr);
    return *instance;
}

void account::for_each(const std::function<void(account&)>& look) {
    const std::lock_guard lock(all_accounts().mutex);
    look(of_process());
    for (account* const one : all_accounts().devices) {
        look(*one);
    }
}

void account::raise_peak(std::uint64_t bytes) noexcept {
    std::uint64_t seen = peak_.load(std::memory_order_relaxed);
    while (seen < bytes && !peak_.compare_exchange_weak(seen, bytes, std::memory_order_relaxed)) {
    }
}

void account::trace() const noexcept {
    if (whole_ != nullptr && is_tracing()) {
        trace_counter("device bytes", name_, bytes_.load(std::memory_order_relaxed));
    }
}

void account::allocated(std::uint64_t bytes) noexcept {
    for (account* one = this; one != nullptr; one = one->whole_) {
        one->buffers_.fetch_add(1, std::memory_order_relaxed);
        one->allocations_.fetch_add(1, std::memory_order_relaxed);
        one->raise_peak(one->bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
        one->trace();
    }
}

void account::freed(std::uint64_t bytes, bool by_program) noexcept {
    for (account* one = this; one != nullptr; one = one->whole_) {
        one->buffers_.fetch_sub(1, std::memory_order_relaxed);
        one->bytes_.fetch_sub(bytes, std::memory_order_relaxed);
        (by_program ? one->by_program_ : one->by_itself_).add(1, bytes);
        one->trace();
    }
}

void account::retried() noexcept {
    for (account* one = this; one != nullptr; one = one->whole_) {
        one->retries_.fetch_add(1, std::memory_order_relaxed);
    }
}

void account::add(locked_memory what, std::uint64_t bytes) noexcept {
    for (account* one = this; one != nullptr; one = one->whole_) {
        one->locked_[static_cast<std::size_t>(what)].add(1, bytes);
    }
}

void account::remove(locked_memory what, std::uint64_t bytes) noexcept {
    for (account* one = this; one != nullptr; one = one->whole_) {
        one->locked_[static_cast<std::size_t>(what)].remove(1, bytes);
    }
}

void account::add(handle_kind what, std::uint64_t bytes) noexcept {
    handles_[static_cast<std::size_t>(what)].add(1, bytes);
}

void account::remove(handle_kind what, std::uint64_t bytes) noexcept {
    handles_[static_cast<std::size_t>(what)].remove(1, bytes);
}

tally account::handles(handle_kind what) const noexcept {
    return handles_[static_cast<std::size_t>(what)].read();
}

spoc_stats account::read() const noexcept {
    const auto locked = [this](locked_memory what) {
        return locked_[static_cast<std::size_t>(what)].read();
    };
    spoc_stats found{};
    found.buffers = buffers_.load(std::memory_order_relaxed);
    found.bytes = bytes_.load(std::memory_order_relaxed);
    found.peak_bytes = peak_.load(std::memory_order_relaxed);
    found.allocations = allocations_.load(std::memory_order_relaxed);
    found.retries = retries_.load(std::memory_order_relaxed);
    found.frees = by_program_.read().count;
    found.freed_bytes = by_program_.read().bytes;
    found.auto_frees = by_itself_.read().count;
    found.auto_bytes = by_itself_.read().bytes;
    found.pinned = locked(locked_memory::allocated).count;
    found.pinned_bytes = locked(locked_memory::allocated).bytes;
    found.registered = locked(locked_memory::registered).count;
    found.registered_bytes = locked(locked_memory::registered).bytes;
    found.ring_bytes = locked(locked_memory::ring).bytes;
    found.slot_bytes = locked(locked_memory::slot).bytes;
    return found;
}

void account::reset() noexcept {
    allocations_.store(0, std::memory_order_relaxed);
    retries_.store(0, std::memory_order_relaxed);
    by_program_.clear();
    by_itself_.clear();
    peak_.store(bytes_.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

}  // namespace spoc::detail
