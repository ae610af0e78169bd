// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The library's C++ interface over the recording plugin, whose work waits until a test releases
/// it. Tags of tests, such as, are the rules of docs/requirements.md that they hold.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <spoc/spoc.hpp>

#include "support/catch.hpp"
#include "support/recording/recorded_runtime.hpp"

namespace spoc::test {

/// A started runtime and its first device. A test that configures the plugin derives and calls
/// `start` later.
class held_device {
 public:
    held_device() {
        mock.set(SPOC_MOCK_KEEPS_BUFFERS, 0);
        begin();
    }
    held_device(const held_device&) = delete;
    held_device& operator=(const held_device&) = delete;
    /// What a test leaves held runs, so that the library can end what it kept.
    ~held_device() {
        mock.hold(false);
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
        mock.release();
    }

    void begin() { first = std::make_unique<device>(runtime.start()); }

    /// From now on work is held, and a wait for it fails instead of running it.
    void hold() {
        mock.hold();
        mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    }
    /// Runs everything that can run.
    void release() { mock.release(); }

    const device& dev() const { return *first; }

    recorded_runtime runtime;
    recording& mock = runtime.mock;
    std::unique_ptr<device> first;
};

inline std::vector<std::byte> bytes(std::size_t count, unsigned seed = 1) {
    std::vector<std::byte> made(count);
    for (std::size_t i = 0; i < count; ++i) {
        made[i] = static_cast<std::byte>((i * 131 + i / 251 + seed) & 0xFFU);
    }
    return made;
}

/// What `body` throws: "ok", or class and sub-code as in `answer::text`.
template <typename Body>
std::string thrown(Body body) {
    try {
        body();
    } catch (const error& failed) {
        return std::string(spoc_status_name(failed.status())) + ' ' +
               spoc_sub_code_name(failed.sub_code());
    }
    return "ok";
}

/// A reference whose end can be seen.
class kept_alive {
 public:
    std::shared_ptr<const void> reference() {
        auto token = std::make_shared<int>(0);
        watched_ = token;
        return token;
    }
    bool is_kept() const { return !watched_.expired(); }

 private:
    std::weak_ptr<int> watched_;
};

}  // namespace spoc::test
