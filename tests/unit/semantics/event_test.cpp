// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = held_device;

}  // namespace

TEST_CASE_METHOD(fixture, "An event never recorded is complete and no wait",
                 "[R-522][R-523][R-524]") {
    const event mark(dev());
    const stream on(dev());
    hold();
    CHECK(mark.complete());
    mark.synchronize();
    wait(on, mark);
    CHECK(mock.pending() == 0);
    on.synchronize();
}

TEST_CASE_METHOD(fixture, "An event is complete when the work before it is", "[R-521][R-523]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    event mark(dev());
    kept_alive before;
    kept_alive after;
    hold();
    copy_to_device(on, data, target, 0, before.reference());
    mark.record(on);
    copy_to_device(on, data, target, 0, after.reference());
    CHECK_FALSE(mark.complete());
    mock.release(1);
    CHECK_FALSE(mark.complete());
    CHECK(before.is_kept());
    mock.release(1);
    CHECK(mark.complete());
    CHECK_FALSE(before.is_kept());
    CHECK(after.is_kept());
    release();  // while the source is there
}

TEST_CASE_METHOD(fixture, "Synchronising an event releases what it covers and no more",
                 "[R-521][R-524][R-511]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    event mark(dev());
    kept_alive before;
    kept_alive after;
    mock.hold();
    mock.on_wait(SPOC_MOCK_WAIT_RUN);
    copy_to_device(on, data, target, 0, before.reference());
    mark.record(on);
    copy_to_device(on, data, target, 0, after.reference());
    mark.synchronize();
    CHECK_FALSE(before.is_kept());
    CHECK(after.is_kept());
    release();  // while the source is there
}

TEST_CASE_METHOD(fixture, "A later recording replaces an earlier one", "[R-521][R-525]") {
    const stream first_stream(dev());
    const stream second(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    event mark(dev());
    kept_alive on_first;
    kept_alive on_second;
    hold();
    copy_to_device(first_stream, data, target, 0, on_first.reference());
    mark.record(first_stream);
    copy_to_device(second, data, target, 0, on_second.reference());
    mark.record(second);
    const auto records = mock.calls("event_record");
    REQUIRE(records.size() == 2);
    mock.release(SPOC_BE_FOREVER, records[1].stream);
    CHECK(mark.complete());
    CHECK_FALSE(on_second.is_kept());
    // The answer says nothing about what was recorded before.
    CHECK(on_first.is_kept());
    release();  // while the source is there
}

TEST_CASE_METHOD(fixture, "Destroying an event proves nothing complete", "[R-526]") {
    const stream on(dev());
    buffer target(dev(), 64);
    const auto data = bytes(64);
    hold();
    {
        event mark(dev());
        copy_to_device(on, data, target);
        mark.record(on);
    }
    CHECK(thrown([&] { target.free(); }) == "invalid_argument busy");
    release();
    on.synchronize();
    target.free();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "Work after a wait sees the work before the event", "[R-522]") {
    const stream producer(dev());
    const stream consumer(dev());
    const buffer middle(dev(), 64);
    const auto data = bytes(64, 5);
    std::vector<std::byte> got(64);
    event mark(dev());
    hold();
    copy_to_device(producer, data, middle);
    mark.record(producer);
    wait(consumer, mark);
    copy_to_host(consumer, middle, 0, got);
    const auto waited = mock.calls("stream_wait");
    REQUIRE(waited.size() == 1);
    // The consumer cannot go on by itself, however much is released there.
    CHECK(mock.release(SPOC_BE_FOREVER, waited[0].stream) == 0);
    release();
    consumer.synchronize();
    CHECK(got == data);
}

TEST_CASE_METHOD(fixture, "A timing event is refused where it cannot be had", "[R-520][R-527]") {
    event plain(dev());
    event timed(dev(), true);
    const stream untimed(dev(), SPOC_STREAM_UNTIMED);
    const stream on(dev());
    CHECK(thrown([&] { timed.record(untimed); }) == "invalid_argument value");
    CHECK(thrown([&] { elapsed(plain, timed); }) == "invalid_argument value");
    CHECK(thrown([&] { elapsed(timed, timed); }) == "invalid_argument value");
    CHECK(mock.count("event_elapsed") == 0);
    CHECK(mock.count("event_record") == 0);
    hold();
    timed.record(on);
    event later(dev(), true);
    later.record(on);
    CHECK(thrown([&] { elapsed(timed, later); }) == "invalid_argument busy");
    release();
    // The recorder counts a microsecond for each operation.
    CHECK(std::abs(elapsed(timed, later).count() - 0.001) < 1e-9);
    CHECK(std::abs(elapsed(later, timed).count() + 0.001) < 1e-9);
}

TEST_CASE("A device that does not measure has no timing events", "[R-527][R-001]") {
    recorded_runtime runtime;
    runtime.mock.set_capability(SPOC_BE_CAP_EVENT_TIMING, SPOC_MOCK_NO);
    const device first(runtime.start());
    CHECK(thrown([&] { event(first, true); }) == "feature_not_supported none");
    const stream on(first);
    CHECK(runtime.mock.calls("stream_create").at(0).flags == 0);
    CHECK(runtime.mock.count("event_create") == 0);
}

TEST_CASE("Events order two devices where the driver can", "[R-522]") {
    recorded_runtime runtime;
    runtime.mock.set_devices(2);
    bool can = true;
    SECTION("it can") {}
    SECTION("it cannot") {
        can = false;
        runtime.mock.set(SPOC_MOCK_PEER, SPOC_BE_PEER_COPY);
    }
    const device first(runtime.start());
    const device second(runtime.device(1));
    const stream on_first(first);
    const stream on_second(second);
    event mark(first);
    mark.record(on_first);
    CHECK(thrown([&] { wait(on_second, mark); }) == (can ? "ok" : "feature_not_supported none"));
    CHECK(runtime.mock.count("stream_wait") == (can ? 1 : 0));
    // The driver is asked once.
    CHECK(thrown([&] { wait(on_second, mark); }) == (can ? "ok" : "feature_not_supported none"));
    CHECK(runtime.mock.count("peer_query") == 1);
}

TEST_CASE_METHOD(fixture, "A failing driver leaves events as they were", "[R-003]") {
    const stream on(dev());
    event mark(dev());
    mock.fail("event_record", SPOC_BE_DRIVER);
    CHECK(thrown([&] { mark.record(on); }) == "backend_error driver");
    CHECK(mark.complete());
    mock.fail("event_sync", SPOC_BE_DRIVER);
    mark.record(on);
    CHECK(thrown([&] { mark.synchronize(); }) == "backend_error sync_failed");
    mock.fail("event_create", SPOC_BE_OUT_OF_MEMORY);
    CHECK(thrown([&] { event(dev(), false); }) == "backend_error oom");
}

namespace {

/// Records an event on another stream, where it is complete at once, at the moment in which the
/// library asks the plugin for it.
struct interference {
    const recording& mock;
    event& mark;
    const stream& on;
    std::uint32_t entry;
    bool done = false;

    static void hook(void* self, std::uint32_t entry) {
        auto& one = *static_cast<interference*>(self);
        if (entry == one.entry && !std::exchange(one.done, true)) {
            one.mark.record(one.on);
            one.mock.release(SPOC_BE_FOREVER, one.mock.calls("event_record").back().stream);
        }
    }
};

}  // namespace

TEST_CASE_METHOD(fixture, "An answer about a later recording proves nothing about an earlier one",
                 "[R-525]") {
    const stream slow(dev());
    const stream fast(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    event mark(dev());
    kept_alive source;
    hold();
    copy_to_device(slow, data, target, 0, source.reference());
    mark.record(slow);
    const bool asks = GENERATE(false, true);
    interference other{mock, mark, fast, entry_number(asks ? "event_query" : "event_sync")};
    mock.gate.set_hook(interference::hook, &other);
    if (asks) {
        CHECK(mark.complete());
    } else {
        mark.synchronize();
    }
    mock.gate.set_hook(nullptr, nullptr);
    CHECK(other.done);
    CHECK(mock.pending() == 2);
    CHECK(source.is_kept());
    release();  // while the source is there
}

}  // namespace spoc::test
