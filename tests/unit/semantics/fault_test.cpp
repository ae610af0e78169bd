// SPDX-License-Identifier: Apache-2.0

/// \file
/// Calls that may leave something different when they fail; fault_table_test.cpp has all others.

#include <string>

#include "fault_world.hpp"

namespace spoc::test {

TEST_CASE("A stream whose last wait fails stays open, and what it uses is kept", "[R-003][R-505]") {
    recorded_runtime runtime;
    world fresh(runtime, {});
    const std::string before = snapshot(fresh).text();
    fresh.runtime.mock.fail("stream_sync", SPOC_BE_DRIVER);
    CHECK(thrown([&] { fresh.on->close(); }) == "backend_error sync_failed");
    CHECK(snapshot(fresh).text() == before);
    copy_to_device(*fresh.on, fresh.pinned->elements(), *fresh.target);
    fresh.on->close();
    CHECK(fresh.kept.use_count() == 1);
}

TEST_CASE("A stream that cannot be ended is closed all the same", "[R-505]") {
    recorded_runtime runtime;
    world fresh(runtime, {});
    fresh.runtime.mock.fail("stream_destroy", SPOC_BE_DRIVER);
    CHECK(thrown([&] { fresh.on->close(); }) == "backend_error driver");
    CHECK(fresh.kept.use_count() == 1);
    CHECK(thrown([&] { fresh.on->synchronize(); }) == "invalid_argument destroyed");
    fresh.on->close();
    CHECK(fresh.runtime.mock.count("stream_destroy") == 1);
}

}  // namespace spoc::test
