// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <spoc/spoc.h>

#include "support/catch.hpp"
#include "support/recording/recorded_runtime.hpp"

using spoc::test::ask;
using spoc::test::recorded_runtime;
using spoc::test::told;

TEST_CASE("the library and the test share one module") {
    recorded_runtime runtime;
    spoc_device device = runtime.start();
    spoc_buffer buffer = nullptr;
    REQUIRE(told(spoc_buffer_create, device, std::uint64_t{4}, &buffer) == "ok");
    CHECK(runtime.mock.count("buffer_create") == 1);
    CHECK(runtime.mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    const std::string text = "abcd";
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(text.data()), std::uint64_t{4}, buffer,
               std::uint64_t{0}) == "ok");
    CHECK(runtime.mock.calls("copy").back().bytes == 4);
    runtime.mock.fail("copy", SPOC_BE_DEVICE_LOST);
    const auto lost = ask(spoc_copy_to_device, static_cast<const void*>(text.data()),
                          std::uint64_t{4}, buffer, std::uint64_t{0});
    CHECK(lost.text() == "backend_error device_lost");
    spoc_buffer_destroy(buffer, nullptr);
}

TEST_CASE("several devices of several kinds are found") {
    recorded_runtime runtime;
    runtime.mock.set_devices(2);
    runtime.mock.gate.describe(1, SPOC_BE_KIND_CPU);
    runtime.start();
    std::uint32_t count = 0;
    REQUIRE(told(spoc_device_count, &count) == "ok");
    CHECK(count == 2);
}

TEST_CASE("the library takes the plugin without optional entries") {
    recorded_runtime runtime("mockmin");
    runtime.start();
    CHECK(runtime.mock.count("device_info") == 0);
    CHECK(runtime.mock.gate.held_open() == 1);
    runtime.stop();
    CHECK(runtime.mock.gate.held_open() == 0);
}
