// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <spoc/backend.h>

namespace spoc::conformance {

/// What a host gives its plugin, with an account of everything that the plugin asked for. Lives
/// until the process ends, as the contract promises a plugin: made by `host::make` and never freed.
class host {
 public:
    /// A host whose table says `size` bytes: an older or newer host than this suite. Bytes beyond
    /// the suite's own table are 0xA5, so that a plugin that reads them calls into nowhere.
    static host& make(std::uint32_t size = sizeof(spoc_be_host));
    host(const host&) = delete;
    host& operator=(const host&) = delete;

    const spoc_be_host* table() const {
        return reinterpret_cast<const spoc_be_host*>(bytes_.get());
    }

    /// Blocks from `mem` that the plugin holds.
    std::int64_t live_blocks() const { return live_blocks_.load(); }
    /// Every request for ordinary memory from now on is refused (true) or served (false).
    void exhaust(bool exhausted) { requests_left_ = exhausted ? 0 : INT64_MAX; }
    /// So many more requests for ordinary memory are served, and every later one is refused.
    void exhaust_after(std::int64_t requests) { requests_left_ = requests; }
    /// Whether a request has been refused since the last call of either.
    bool has_refused() const { return requests_left_.load() < 0; }

    /// Setting that `config` answers with; call before the plugin is given this host.
    void set_config(const std::string& key, const std::string& value) { config_[key] = value; }

    /// From now on `vendor_open` finds nothing.
    void deny_vendor_libraries() { deny_vendor_ = true; }
    /// From now on `vendor_open` opens the file `path` whatever it is asked for.
    void replace_vendor_library(const std::string& path) { stand_in_ = path; }
    /// From now on `vendor_sym` does not find `symbol`.
    void hide_symbol(const std::string& symbol) { hidden_.insert(symbol); }

    /// Symbols that `vendor_sym` was asked for, in the order of their first request.
    std::vector<std::string> requested_symbols() const;
    /// Calls of `vendor_open`.
    int vendor_opens() const { return vendor_opens_.load(); }
    /// Log lines so far that are no UTF-8 text of one line.
    int bad_log_lines() const { return bad_log_lines_.load(); }

    /// What `process_state` points to.
    void set_process_state(std::uint32_t state) {
        __atomic_store_n(&state_, state, __ATOMIC_RELEASE);
    }

 private:
    host() = default;

    static void log(void* ctx, std::uint32_t level, const char* text, std::uint64_t length);
    static void* mem(void* ctx, void* block, std::uint64_t bytes, std::uint64_t alignment);
    static const char* config(void* ctx, const char* key);
    static void* vendor_open(void* ctx, const char* const* names, char* out_path,
                             std::uint64_t path_capacity, spoc_be_error* error);
    static void* vendor_sym(void* ctx, void* library, const char* symbol);
    static void vendor_close(void* ctx, void* library);

    std::unique_ptr<std::byte[]> bytes_;
    std::atomic<std::int64_t> live_blocks_{0};
    std::atomic<std::int64_t> requests_left_{INT64_MAX};
    std::atomic<int> vendor_opens_{0};
    std::atomic<int> bad_log_lines_{0};
    std::map<std::string, std::string> config_;
    bool deny_vendor_ = false;
    std::string stand_in_;
    std::set<std::string> hidden_;
    mutable std::mutex requested_mutex_;
    std::vector<std::string> requested_;
    std::uint32_t state_ = SPOC_BE_PROCESS_RUNNING;
};

}  // namespace spoc::conformance
