// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <spoc/backend.h>

#include "env.hpp"

namespace spoc::detail {

/// The services that one plugin gets. Lives until the process ends, since plugins stay mapped and
/// may call at any time.
class host_services {
 public:
    /// `topic` is the backend's name, for its log lines; `config` must live as long as the object.
    host_services(std::string topic, const settings& config);
    host_services(const host_services&) = delete;
    host_services& operator=(const host_services&) = delete;

    /// The table to hand over.
    const spoc_be_host* table() const noexcept { return &table_; }

    /// Blocks that the plugin holds from `mem` at this moment.
    std::uint64_t live_blocks() const noexcept { return live_blocks_.load(); }

 private:
    static void log(void* ctx, std::uint32_t level, const char* text, std::uint64_t length);
    static void* mem(void* ctx, void* block, std::uint64_t bytes, std::uint64_t alignment);
    static const char* config(void* ctx, const char* key);
    static void* vendor_open(void* ctx, const char* const* names, char* out_path,
                             std::uint64_t path_capacity, spoc_be_error* error);
    static void* vendor_sym(void* ctx, void* library, const char* symbol);
    static void vendor_close(void* ctx, void* library);
    static void trace_begin(void* ctx, const char* name);
    static void trace_end(void* ctx);

    std::string topic_;
    const settings& config_;
    std::atomic<std::uint64_t> live_blocks_{0};
    spoc_be_host table_{};
};

}  // namespace spoc::detail
