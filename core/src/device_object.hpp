// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spoc/device.h>

#include "outcome.hpp"

namespace spoc::detail {

/// Something that a plugin made on a device. The device knows it from `begin` on, so that a
/// shutdown can end what the program still holds.
class device_object {
 public:
    explicit device_object(spoc_device device) noexcept : device_(*device) {}
    device_object(const device_object&) = delete;
    device_object& operator=(const device_object&) = delete;
    virtual ~device_object() = default;

    spoc_device_s& device() const noexcept { return device_; }

    /// Ends what the plugin made, if it still is there; the object stays. Called once, by `finish`
    /// or by a shutdown, and then nothing else uses the object.
    virtual outcome end() = 0;

 protected:
    /// Makes the object known to its device. What could throw comes before the plugin is called.
    void begin();
    /// Ends it unless a shutdown did. In a forked child and at exit nothing is called: what the
    /// plugin made ends with the process. The last thing that a derived destructor does.
    outcome finish();

 private:
    spoc_device_s& device_;
};

}  // namespace spoc::detail
