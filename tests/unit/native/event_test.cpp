// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {

TEST_CASE_METHOD(plugin_fixture,
                 "An event that was never recorded is complete and holds nothing up") {
    const spoc_be_event never = event();
    CHECK(be.event_query(never, &error) == SPOC_BE_OK);
    CHECK(be.event_sync(never, SPOC_BE_FOREVER, &error) == SPOC_BE_OK);
    CHECK(be.stream_wait(default_stream, never, &error) == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture, "A recorded event is complete") {
    const spoc_be_event recorded = event(GENERATE(0U, SPOC_BE_EVENT_TIMING));
    REQUIRE(be.event_record(recorded, default_stream, &error) == SPOC_BE_OK);
    CHECK(be.event_query(recorded, &error) == SPOC_BE_OK);
    CHECK(be.event_sync(recorded, SPOC_BE_NO_WAIT, &error) == SPOC_BE_OK);
    CHECK(be.stream_wait(stream(), recorded, &error) == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture,
                 "Elapsed time is what passed between two recordings, with its sign") {
    const spoc_be_event start = event();
    const spoc_be_event stop = event();
    REQUIRE(be.event_record(start, default_stream, &error) == SPOC_BE_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE(be.event_record(stop, default_stream, &error) == SPOC_BE_OK);
    double ns = 0;
    REQUIRE(be.event_elapsed(start, stop, &ns, &error) == SPOC_BE_OK);
    CHECK(ns >= 5e6);
    double back = 0;
    REQUIRE(be.event_elapsed(stop, start, &back, &error) == SPOC_BE_OK);
    CHECK(back == -ns);

    // A second recording replaces the first.
    REQUIRE(be.event_record(start, default_stream, &error) == SPOC_BE_OK);
    REQUIRE(be.event_elapsed(start, stop, &ns, &error) == SPOC_BE_OK);
    CHECK(ns <= 0);
}

TEST_CASE_METHOD(plugin_fixture, "Elapsed time of an event without a recording is invalid") {
    const spoc_be_event recorded = event();
    REQUIRE(be.event_record(recorded, default_stream, &error) == SPOC_BE_OK);
    double ns = 1.5;
    CHECK(be.event_elapsed(recorded, event(), &ns, &error) == SPOC_BE_INVALID);
    CHECK(be.event_elapsed(event(), recorded, &ns, &error) == SPOC_BE_INVALID);
    CHECK(ns == 1.5);
}

TEST_CASE_METHOD(plugin_fixture, "An event with timing is unsupported on a stream without it") {
    const spoc_be_stream untimed = stream(0);
    CHECK(be.event_record(event(), untimed, &error) == SPOC_BE_UNSUPPORTED);
    CHECK(be.event_record(event(0), untimed, &error) == SPOC_BE_OK);
}

}  // namespace spoc::test
