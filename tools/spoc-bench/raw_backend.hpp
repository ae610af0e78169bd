// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <spoc/backend.h>
#include <spoc/device.hpp>

#include "env.hpp"
#include "plugin.hpp"

namespace spoc::bench {

/// A plugin without libspoc: a copy of the file that libspoc uses, hence with state of its own,
/// since a device may be opened once. Only opening it goes through code of SPOC's; what is measured
/// is calls of its table.
class raw_backend {
 public:
    /// The plugin and device behind `like`. Throws `std::runtime_error`.
    explicit raw_backend(const device& like);
    raw_backend(const raw_backend&) = delete;
    raw_backend& operator=(const raw_backend&) = delete;
    /// Everything that was made on the device has ended.
    ~raw_backend();

    const spoc_be_table& table() const noexcept { return plugin_->table(); }
    spoc_be_device handle() const noexcept { return device_.device; }

    /// Throws when an entry's status says that it failed.
    static void check(std::int32_t status, const spoc_be_error& error);

 private:
    void open(std::uint32_t index);
    void remove_copy() noexcept;

    std::filesystem::path folder_;
    detail::settings config_;
    std::unique_ptr<detail::plugin> plugin_;
    spoc_be_device_result device_{};
};

/// An error record as entries take it.
spoc_be_error empty_error() noexcept;

}  // namespace spoc::bench
