// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace spoc::conformance {

/// What is known about the plugin and its devices before the cases run.
struct census {
    /// Why the file cannot be judged at all; empty: it can.
    std::string not_loadable;

    std::string name;
    std::string vendor;
    std::string version;
    std::string build_id;
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint32_t flavour = 0;

    /// Why there is no device to test; empty: there is.
    std::string no_device;
    /// Why nothing is known of the device, or of whether there is one: the plugin failed when it
    /// was asked. Empty: it did not.
    std::string device_unknown;
    /// The question about the device took all of the time that a case has.
    bool device_stuck = false;
    std::uint32_t device_count = 0;
    std::string device_name;    ///< of the device to be tested
    std::string device_driver;  ///< likewise
};

/// Loads the plugin in a child process, opens it and looks at device `index`.
census take_census(const std::string& plugin_path, std::uint32_t index,
                   std::chrono::milliseconds timeout);

}  // namespace spoc::conformance
