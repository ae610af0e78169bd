// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <spoc/backend.h>

namespace spoc::plugin {

/// The host that opened the plugin. Trivially destructible, so that a static one needs no exit
/// handler.
class host {
 public:
    constexpr host() noexcept = default;

    /// Before anything else, and again at each `open`.
    void attach(const spoc_be_host* services) noexcept {
        quiesced_.store(false, std::memory_order_relaxed);
        services_ = services;
    }

    /// For the entry `quiesce`: one atomic store, no lock, and nothing at all in a forked child.
    void quiesce(uint32_t reason) noexcept {
        if (reason != SPOC_BE_QUIESCE_FORK_CHILD) {
            quiesced_.store(true, std::memory_order_relaxed);
        }
    }

    /// Whether threads of the plugin's own may still work.
    bool running() const noexcept {
        return !quiesced_.load(std::memory_order_relaxed) &&
               __atomic_load_n(services_->process_state, __ATOMIC_RELAXED) ==
                   SPOC_BE_PROCESS_RUNNING;
    }

    /// Memory for an object of the plugin's, or null.
    void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return services_->mem(services_->ctx, nullptr, bytes, alignment);
    }

    void release(void* block) noexcept { services_->mem(services_->ctx, block, 0, 1); }

    /// A vendor's library by the first of `names` (ended by null) that can be opened, or null with
    /// `error` filled. It stays in the process.
    void* open_library(const char* const* names, char* out_path, std::size_t path_capacity,
                       spoc_be_error* error) noexcept {
        return services_->vendor_open(services_->ctx, names, out_path, path_capacity, error);
    }

    /// Address of a symbol of such a library, or null.
    void* symbol(void* library, const char* name) noexcept {
        return services_->vendor_sym(services_->ctx, library, name);
    }

    /// Value of a setting, or null.
    const char* setting(const char* key) noexcept { return services_->config(services_->ctx, key); }

 private:
    const spoc_be_host* services_ = nullptr;
    std::atomic<bool> quiesced_{false};
};

}  // namespace spoc::plugin
