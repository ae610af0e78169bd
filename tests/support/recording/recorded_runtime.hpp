// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// libspoc over the recording plugin alone.

#include <cstdint>
#include <string>
#include <utility>

#include <spoc/spoc.h>

#include "recording.hpp"
#include "unit/core/support/answer.hpp"
#include "unit/core/support/environment.hpp"

namespace spoc::test {

/// A test configures `mock`, then calls `start`, which is undone at the end of its scope:
///
///     recorded_runtime runtime;
///     runtime.mock.device().pageable_max = 0;
///     spoc_device device = runtime.start();
///
/// Together with plugins of another kind: `runtime_fixture::add_file(mock.file())`.
class recorded_runtime {
 public:
    explicit recorded_runtime(const std::string& name = "mock") : mock(name) {}
    recorded_runtime(const recorded_runtime&) = delete;
    recorded_runtime& operator=(const recorded_runtime&) = delete;
    ~recorded_runtime() { stop(); }

    /// Starts the runtime and returns its first device. The log begins empty.
    spoc_device start() {
        variables.set("SPOC_PLUGIN_FILES", mock.file() + more_files);
        auto options = sized<spoc_options>();
        REQUIRE(told(spoc_init, &options) == "ok");
        running_ = true;
        spoc_device first = device(0);
        mock.forget();
        return first;
    }

    /// Ends the runtime: everything that the test made has to be given back by then. What it held
    /// runs first.
    void stop() {
        if (std::exchange(running_, false)) {
            mock.hold(false);
            mock.on_wait(SPOC_MOCK_WAIT_RUN);
            mock.release();
            CHECK(told(spoc_shutdown) == "ok");
        }
    }

    spoc_device device(std::uint32_t id) {
        spoc_device found = nullptr;
        REQUIRE(told(spoc_device_get, id, &found) == "ok");
        return found;
    }

    environment variables;
    recording mock;          ///< ends after the runtime
    std::string more_files;  ///< of further plugins, each behind a ':'

 private:
    bool running_ = false;
};

}  // namespace spoc::test
