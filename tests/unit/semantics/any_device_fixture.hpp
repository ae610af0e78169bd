// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What holds on every device: the cases tagged [any-device] run on the one that SPOC_TEST_DEVICE
/// selects ("native:0", "cuda"), whose plugin is found as by any program, and on the recording
/// plugin's first device when it is not set. They see nothing but what a program sees.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <spoc/spoc.hpp>

#include "semantics_fixture.hpp"
#include "support/skipped_cases.hpp"

namespace spoc::test {

/// A running runtime and the device.
class any_device {
 public:
    any_device() {
        // Before the recording plugin's runtime hides the environment.
        if (const char* selector = std::getenv("SPOC_TEST_DEVICE")) {
            running_.emplace();
            const std::vector<device> found = select_devices(selector);
            INFO("SPOC_TEST_DEVICE=" << selector);
            REQUIRE_FALSE(found.empty());
            device_.emplace(found.front());
        } else {
            recorded_ = std::make_unique<recorded_runtime>();
            recorded_->mock.set(SPOC_MOCK_KEEPS_BUFFERS, 0);
            recorded_->mock.set_devices(2);
            device_.emplace(recorded_->start());
        }
    }
    any_device(const any_device&) = delete;
    any_device& operator=(const any_device&) = delete;

    const device& dev() const { return *device_; }

    /// Whether the device has a capability; if not, the case is skipped, which the test does by
    /// returning.
    bool offers(std::uint32_t capability, const char* name) const {
        if (dev().capability(capability) == spoc::answer::yes) {
            return true;
        }
        skips().add(std::string(dev().selector()) + " does not offer " + name);
        return false;
    }

    /// A registration of the test's memory; none, and the case is skipped, where the library or the
    /// device refuses to make any.
    std::optional<host_registration> registered(std::span<std::byte> range) const {
        try {
            return std::optional<host_registration>(std::in_place, dev(), range);
        } catch (const feature_not_supported& refused) {
            skips().add(refused.what());
            return std::nullopt;
        }
    }

    /// What the device holds.
    static std::vector<std::byte> content(const buffer& memory) {
        std::vector<std::byte> found(static_cast<std::size_t>(memory.size_bytes()));
        copy_to_host(memory, 0, found);
        return found;
    }
    /// A buffer that holds `data`.
    buffer filled(std::span<const std::byte> data) const {
        buffer made(dev(), data.size());
        copy_to_device(data, made);
        return made;
    }

 private:
    std::unique_ptr<recorded_runtime> recorded_;
    std::optional<runtime> running_;
    std::optional<device> device_;
};

}  // namespace spoc::test
