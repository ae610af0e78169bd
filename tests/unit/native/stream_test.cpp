// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <future>
#include <thread>

#include "gate.hpp"
#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {

using std::chrono::steady_clock;

TEST_CASE_METHOD(plugin_fixture, "A stream without work is idle and waits for nothing") {
    const spoc_be_stream idle = GENERATE(true, false) ? default_stream : stream();
    CHECK(be.stream_query(idle, &error) == SPOC_BE_OK);
    CHECK(be.stream_sync(idle, SPOC_BE_NO_WAIT, &error) == SPOC_BE_OK);
    CHECK(be.stream_sync(idle, SPOC_BE_FOREVER, &error) == SPOC_BE_OK);
    CHECK(be.stream_flush(idle, &error) == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture, "A stream is not ready while another thread's launch runs in it") {
    const spoc_be_kernel kernel = gate_kernel(*this);
    const spoc_be_stream busy = stream();
    const spoc_be_buffer target = buffer(1);
    gate gate;
    auto launching =
        std::async(std::launch::async, [&] { return gate.launch(kernel, busy, target); });
    gate.wait_until_entered();

    CHECK(be.stream_query(busy, &error) == SPOC_BE_NOT_READY);
    CHECK(be.stream_query(default_stream, &error) == SPOC_BE_OK);
    const auto before = steady_clock::now();
    CHECK(be.stream_sync(busy, 30'000'000, &error) == SPOC_BE_NOT_READY);
    CHECK(steady_clock::now() - before >= std::chrono::milliseconds(30));

    std::thread opening([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        gate.open();
    });
    const uint64_t timeout = GENERATE(SPOC_BE_FOREVER, SPOC_BE_FOREVER - 1, 60'000'000'000U);
    CHECK(be.stream_sync(busy, timeout, &error) == SPOC_BE_OK);
    CHECK(launching.get() == SPOC_BE_OK);
    opening.join();
    CHECK(be.stream_query(busy, &error) == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture, "Streams take any flags and priority that the contract names") {
    auto desc = sized<spoc_be_stream_desc>();
    desc.flags = SPOC_BE_STREAM_NON_BLOCKING | SPOC_BE_STREAM_TIMING;
    desc.priority = GENERATE(-1000, 0, 1000);
    spoc_be_stream made = nullptr;
    REQUIRE(be.stream_create(device, &desc, &made, &error) == SPOC_BE_OK);
    CHECK(be.stream_destroy(made, &error) == SPOC_BE_OK);
}

}  // namespace spoc::test
