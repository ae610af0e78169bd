// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <spoc/backend.h>
#include <spoc/backends.h>

#include "env.hpp"
#include "finding.hpp"
#include "host_services.hpp"
#include "plugin_file.hpp"

namespace spoc::detail {

/// One plugin file on its way from a name in a directory to an open backend.
///
/// `advance` takes it stage by stage and stops at the first thing that stands in the way, which the
/// record then says. Not safe for concurrent use; lives until the process ends, since its host
/// table is in the plugin's hands.
class plugin {
 public:
    /// Called after each stage that succeeded.
    using observer = std::function<void(const spoc_backend_info&)>;

    plugin(const std::string& name, const std::string& file, const settings& config);
    plugin(const plugin&) = delete;
    plugin& operator=(const plugin&) = delete;

    /// Goes on to `stage` (`SPOC_STAGE_*`). Does nothing when that was reached, or something stands
    /// in the way.
    void advance(std::uint32_t stage, const observer& progress = {});

    /// The record as it stands.
    const spoc_backend_info& info() const noexcept { return info_; }

    /// Takes over a record that a helper process made of the same file: only why it failed.
    void adopt_failure(const spoc_backend_info& record);

    /// Marks the plugin as not to be used, for a reason found outside of it.
    void reject(const finding& why);

    /// Checked copy of the plugin's table; once stage TABLE is reached.
    const spoc_be_table& table() const noexcept { return table_; }

    /// Its devices; once stage ENUMERATED is reached.
    const std::vector<spoc_be_device_info>& devices() const noexcept { return devices_; }

    /// Blocks of host memory that the plugin holds.
    std::uint64_t live_blocks() const noexcept { return host_.live_blocks(); }

    /// When it was first enumerated, counted over all plugins; 0 when it was not.
    std::uint64_t opened() const noexcept { return opened_; }

    /// Closes the backend if it is open. The plugin may be enumerated again afterwards.
    void close();

 private:
    finding take_guarded(std::uint32_t stage);
    finding take(std::uint32_t stage);
    finding examine();
    finding load();
    finding adopt();
    finding probe_passively();
    finding enumerate();
    finding run_probe(std::uint32_t level);
    finding read_devices();
    finding try_devices();
    finding try_device(std::uint32_t index);
    void take_report(const spoc_be_probe_report& report);

    const settings& config_;
    plugin_file file_;
    const spoc_be_table* original_ = nullptr;
    spoc_be_table table_{};
    host_services host_;
    std::vector<spoc_be_device_info> devices_;
    bool open_ = false;  ///< may hold what `close` gives back
    std::uint64_t opened_ = 0;
    bool told_at_exit_ = false;  ///< the exit hook knows its quiesce entry
    spoc_backend_info info_{};
};

}  // namespace spoc::detail
