// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What only a device that works by itself can show, at length: SPOC_TEST_DEVICE selects it
/// (native:0 unless set), its plugin is found as by any program. SPOC_TEST_ROUNDS sets how often
/// what goes wrong now and then is tried (100), SPOC_TEST_BIG=1 allows memory of many GiB.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <spoc/spoc.hpp>

#include "device_kernel.hpp"
#include "support/catch.hpp"
#include "support/skipped_cases.hpp"

namespace spoc::test {

inline std::string setting(const char* name, const char* otherwise) {
    const char* found = std::getenv(name);
    return found != nullptr ? found : otherwise;
}

/// Of what goes wrong now and then.
inline int rounds() { return std::stoi(setting("SPOC_TEST_ROUNDS", "100")); }

/// A running runtime and the device.
class hardware {
 public:
    hardware() {
        const std::vector<device> found = select_devices(selector());
        INFO("SPOC_TEST_DEVICE=" << selector());
        REQUIRE_FALSE(found.empty());
        devices_ = found;
    }

    const device& dev() const { return devices_.front(); }

    /// Another device of the same backend, or none, and the case is skipped.
    std::optional<device> second() const {
        for (const device& one : devices()) {
            if (one.backend() == dev().backend() && one != dev()) {
                return one;
            }
        }
        skips().add("there is one device of " + std::string(dev().backend()));
        return std::nullopt;
    }

    /// False: the case is skipped.
    static bool has(const std::optional<device_kernel>& kernel) {
        if (!kernel) {
            skips().add("the tests have no kernel in a form that the device takes");
        }
        return kernel.has_value();
    }

 private:
    static std::string selector() { return setting("SPOC_TEST_DEVICE", "native:0"); }

    runtime running_;
    std::vector<device> devices_;
};

using words = std::vector<std::uint32_t>;

inline words counting(std::size_t count) {
    words made(count);
    for (std::size_t i = 0; i < count; ++i) {
        made[i] = static_cast<std::uint32_t>(i);
    }
    return made;
}

inline std::span<const std::byte> bytes_of(const words& all) {
    return std::as_bytes(std::span(all));
}
inline std::span<std::byte> bytes_of(words& all) { return std::as_writable_bytes(std::span(all)); }

constexpr std::uint32_t block_threads = 256;

inline launch_shape shape_for(std::size_t count) {
    return {.grid = blocks_for(count, block_threads), .block = block_threads};
}

}  // namespace spoc::test
