// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <spoc/backends.h>
#include <spoc/device.h>

#include "backend_filter.hpp"
#include "device.hpp"
#include "env.hpp"
#include "outcome.hpp"
#include "plugin.hpp"
#include "plugin_search.hpp"
#include "selector.hpp"

namespace spoc::detail {

/// How plugins are looked for and probed.
struct registry_options {
    std::vector<std::string> application_dirs;
    bool isolate = false;
    bool prove_devices = false;  ///< isolated probes also open each device once
    std::chrono::milliseconds probe_timeout{10000};
};

/// The backends and devices of one runtime. Every function may be called from any thread; probing
/// is done by one at a time, while the others wait.
class registry {
 public:
    /// `config` must live as long as the object, which is as long as the process: plugins keep
    /// pointers into both.
    registry(const settings& config, registry_options options)
        : config_(config), options_(std::move(options)) {}

    /// Brings every backend to `stage` (PASSIVE or ENUMERATED). With ENUMERATED the devices get
    /// their ids.
    outcome probe(std::uint32_t stage);

    /// Enumerates the backend `name` alone and says whether it is ready.
    outcome require(std::string_view name);

    outcome backend_count(std::uint32_t& out_count);
    outcome backend_info(std::uint32_t index, spoc_backend_info& out_info);
    outcome place_count(std::uint32_t& out_count);
    outcome place(std::uint32_t index, spoc_search_place& out_place);

    /// Every visible device, by id; enumerates.
    outcome devices(std::vector<spoc_device>& out_devices);

    /// Devices that fit a list of selectors, in its order; enumerates.
    outcome select(std::string_view selectors, std::vector<spoc_device>& out_devices);

    /// Closes devices and backends in reverse order. No other call may be in flight.
    void close();

 private:
    struct listed {
        spoc_backend_info fixed{};         ///< when there is no plugin to ask
        std::unique_ptr<plugin> found;     ///< null: absent, disabled or shadowed
        std::uint32_t isolated_stage = 0;  ///< up to which a helper process has proved it

        const spoc_backend_info& info() const noexcept {
            return found == nullptr ? fixed : found->info();
        }
    };

    outcome scan();
    std::vector<std::string> all_names() const;
    void list_candidates(const backend_filter& filter);
    void list_missing(const backend_filter& filter);
    void advance(listed& entry, std::uint32_t stage);
    void prove_in_helper(listed& entry, std::uint32_t stage);
    outcome probe_locked(std::uint32_t stage);
    outcome make_devices();
    void forget_records();
    outcome check_selectors(std::string_view where, const std::vector<selector>& selectors) const;
    outcome check_named(std::string_view where, std::string_view backend) const;
    const listed* first_named(std::string_view name) const;

    const settings& config_;
    const registry_options options_;
    std::mutex mutex_;
    bool scanned_ = false;
    bool devices_made_ = false;
    search_result search_;
    std::vector<listed> list_;
    std::vector<std::unique_ptr<spoc_device_s>> devices_;
};

}  // namespace spoc::detail
