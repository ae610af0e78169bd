// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Vectors on two devices of the recording plugin, brought into each of their states.

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "semantics_fixture.hpp"

namespace spoc::test {

inline constexpr std::uint64_t elements = 8;

/// Eight numbers that no other seed gives.
inline std::vector<std::int32_t> numbers(std::int32_t seed) {
    std::vector<std::int32_t> made(elements);
    std::iota(made.begin(), made.end(), seed * 100);
    return made;
}

inline std::vector<std::int32_t> copy_of(std::span<const std::int32_t> all) {
    return {all.begin(), all.end()};
}

/// Two devices; the second is another one of the same backend.
class two_devices {
 public:
    two_devices() {
        mock.set(SPOC_MOCK_KEEPS_BUFFERS, 0);
        mock.set_devices(2);
    }
    two_devices(const two_devices&) = delete;
    two_devices& operator=(const two_devices&) = delete;
    ~two_devices() {
        set_auto_sync(true);
        mock.hold(false);
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
        mock.release();
    }

    void begin() {
        runtime.start();
        d = std::make_unique<device>(runtime.device(0));
        e = std::make_unique<device>(runtime.device(1));
    }

    /// "host", or the state and "d" or "e".
    std::string place(const detail::vector_owner& v) const {
        const spoc_vector_info info = v.info();
        const char* const names[] = {"host", "device", "both", "stale_host", "stale_device"};
        std::string text = names[info.location];
        if (info.device != nullptr) {
            text += info.device == d->get() ? " d" : " e";
        }
        return text;
    }

    std::uint64_t copies(std::uint32_t kind) const {
        std::uint64_t found = 0;
        for (const spoc_mock_call& call : mock.calls("copy")) {
            found += call.kind == kind ? 1 : 0;
        }
        return found;
    }

    recorded_runtime runtime;
    recording& mock = runtime.mock;
    std::unique_ptr<device> d;
    std::unique_ptr<device> e;
};

/// A vector in one of the states, with numbers of its own on each side: `fresh` are the newest.
struct placed_vector {
    /// `state`: as `two_devices::place` says it.
    placed_vector(const two_devices& on, const std::string& state) : v(elements) {
        write(1);
        if (state == "host") {
            return;
        }
        v.to_device(*on.d);
        if (state == "stale_host d") {
            fresh = numbers(2);
            v.write_range(0, fresh);
        } else if (state == "stale_device d") {
            write(3);
        }
        REQUIRE(on.place(v) == state);
    }

    void write(std::int32_t seed) {
        fresh = numbers(seed);
        const host_writer<std::int32_t> writer = v.overwrite();
        std::copy(fresh.begin(), fresh.end(), writer.span().begin());
    }

    /// What the device that the location names holds.
    std::vector<std::int32_t> on_device() const {
        std::vector<std::int32_t> found(elements);
        v.read_range(0, found);
        return found;
    }

    vector<std::int32_t> v;
    std::vector<std::int32_t> fresh;
};

}  // namespace spoc::test
