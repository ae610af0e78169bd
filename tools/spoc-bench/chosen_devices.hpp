// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <spoc/device.hpp>
#include <spoc/runtime.hpp>

namespace spoc::bench {

/// No device to measure, and why.
class no_device : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A driver that crashes or hangs must not keep the others from being measured.
runtime_options careful_start();

/// Those that the selectors fit, or the best one. Throws `no_device`, or `invalid_argument` for
/// malformed selectors.
std::vector<device> chosen_devices(const std::optional<std::string>& selectors);

}  // namespace spoc::bench
