// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = held_device;

}  // namespace

TEST_CASE_METHOD(fixture, "A stream is made with what was asked of it", "[R-501][R-502]") {
    const stream ordinary(dev());
    const stream other(dev(), SPOC_STREAM_NON_BLOCKING | SPOC_STREAM_UNTIMED, -3);
    const auto made = mock.calls("stream_create");
    REQUIRE(made.size() == 2);
    CHECK(made[0].flags == SPOC_BE_STREAM_TIMING);
    CHECK(made[0].priority == 0);
    CHECK(made[1].flags == SPOC_BE_STREAM_NON_BLOCKING);
    CHECK(made[1].priority == -3);
    CHECK(ordinary.where() == dev());
}

TEST_CASE_METHOD(fixture, "Options that do not exist are refused before any call", "[R-002]") {
    CHECK(thrown([&] { stream(dev(), 1U << 20); }) == "invalid_argument value");
    spoc_stream out = nullptr;
    const spoc_stream_options unset{};
    CHECK(told(spoc_stream_create, dev().get(), &unset, &out) == "invalid_argument value");
    CHECK(told(spoc_stream_create, spoc_device{}, static_cast<const spoc_stream_options*>(nullptr),
               &out) == "invalid_argument null");
    CHECK(mock.count("stream_create") == 0);
    CHECK(out == nullptr);
}

TEST_CASE_METHOD(fixture, "Synchronising a stream releases what its work used",
                 "[R-411][R-504][R-511]") {
    const stream on(dev());
    buffer target(dev(), 64);
    kept_alive source;
    auto data = std::make_shared<std::vector<std::byte>>(bytes(64));
    hold();
    copy_to_device(on, *data, target, 0, data);
    copy_to_device(on, *data, target, 0, source.reference());
    CHECK(source.is_kept());
    CHECK_FALSE(on.idle());
    CHECK(source.is_kept());
    release();
    CHECK(source.is_kept());
    on.synchronize();
    CHECK_FALSE(source.is_kept());
    CHECK(data.use_count() == 1);
}

TEST_CASE_METHOD(fixture, "A query that answers idle releases, one that does not does not",
                 "[R-507][R-511]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive source;
    hold();
    copy_to_device(on, data, target, 0, source.reference());
    CHECK_FALSE(on.idle());
    CHECK(source.is_kept());
    release();
    CHECK(on.idle());
    CHECK_FALSE(source.is_kept());
}

TEST_CASE_METHOD(fixture, "Synchronising the default stream leaves other streams' entries",
                 "[R-503][R-504]") {
    const stream on(dev());
    const stream again = stream::default_of(dev());
    const stream plain = stream::default_of(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive on_stream;
    kept_alive on_default;
    hold();
    copy_to_device(on, data, target, 0, on_stream.reference());
    copy_to_device(plain, data, target, 0, on_default.reference());
    release();
    again.synchronize();
    CHECK_FALSE(on_default.is_kept());
    CHECK(on_stream.is_kept());
    synchronize(dev());
    CHECK_FALSE(on_stream.is_kept());
}

TEST_CASE_METHOD(fixture, "A wait that fails releases nothing", "[R-512][R-003]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive source;
    hold();
    copy_to_device(on, data, target, 0, source.reference());
    mock.fail("stream_sync", SPOC_BE_DRIVER);
    CHECK(thrown([&] { on.synchronize(); }) == "backend_error sync_failed");
    CHECK(source.is_kept());
    mock.fail("stream_query", SPOC_BE_DRIVER);
    CHECK(thrown([&] { on.idle(); }) == "backend_error sync_failed");
    CHECK(source.is_kept());
    release();
    on.synchronize();
    CHECK_FALSE(source.is_kept());
}

TEST_CASE_METHOD(fixture, "What is enqueued during a wait is not released by it",
                 "[R-504][R-512]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive before;
    kept_alive during;
    mock.hold();
    mock.on_wait(SPOC_MOCK_WAIT_BLOCK);
    copy_to_device(on, data, target, 0, before.reference());
    std::thread waiter([&] { on.synchronize(); });
    mock.gate.await_waiters(1);
    copy_to_device(on, data, target, 0, during.reference());
    mock.release(1);
    waiter.join();
    CHECK_FALSE(before.is_kept());
    CHECK(during.is_kept());
    mock.release();
    on.synchronize();
    CHECK_FALSE(during.is_kept());
}

TEST_CASE_METHOD(fixture, "A call that fails leaves nothing in the ledger and takes nothing",
                 "[R-003][R-512]") {
    const stream on(dev());
    buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive source;
    hold();
    mock.fail("copy", SPOC_BE_DRIVER);
    auto reference = source.reference();
    CHECK(thrown([&] { copy_to_device(on, data, target, 0, reference); }) ==
          "backend_error copy_failed");
    CHECK(reference.use_count() == 1);
    target.free();
    CHECK(mock.pending() == 0);
}

TEST_CASE_METHOD(fixture, "Closing a stream waits, releases and ends it", "[R-505]") {
    stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive source;
    mock.hold();
    copy_to_device(on, data, target, 0, source.reference());
    on.close();
    CHECK_FALSE(source.is_kept());
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 0);
    on.close();
    CHECK(mock.count("stream_destroy") == 1);
    CHECK(thrown([&] { on.synchronize(); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { on.idle(); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { on.flush(); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { copy_to_device(on, data, target); }) == "invalid_argument destroyed");
    event mark(dev());
    CHECK(thrown([&] { mark.record(on); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { wait(on, mark); }) == "invalid_argument destroyed");
}

TEST_CASE_METHOD(fixture, "Closing a default stream does nothing", "[R-505]") {
    stream plain = stream::default_of(dev());
    plain.close();
    plain.synchronize();
    CHECK(mock.count("stream_destroy") == 0);
}

TEST_CASE_METHOD(fixture, "A stream that cannot be waited for is not closed", "[R-003][R-505]") {
    stream on(dev());
    mock.fail("stream_sync", SPOC_BE_DRIVER);
    CHECK(thrown([&] { on.close(); }) == "backend_error sync_failed");
    on.synchronize();
    on.close();
    CHECK(mock.count("stream_destroy") == 1);
}

TEST_CASE_METHOD(fixture, "Destroying a stream's handle does not wait, and its work goes on",
                 "[R-505]") {
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive source;
    hold();
    {
        const stream on(dev());
        copy_to_device(on, data, target, 0, source.reference());
    }
    CHECK(source.is_kept());
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 1);
    release();
    mock.hold(false);
    synchronize(dev());
    CHECK_FALSE(source.is_kept());
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 0);
    std::vector<std::byte> got(64);
    copy_to_host(target, 0, got);
    CHECK(got == data);
}

TEST_CASE_METHOD(fixture, "A destroyed stream without work ends at once", "[R-505]") {
    { const stream on(dev()); }
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 0);
}

TEST_CASE_METHOD(fixture, "Making a stream ends those that were left and became idle", "[R-505]") {
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    hold();
    {
        const stream left(dev());
        copy_to_device(left, data, target);
    }
    release();
    const stream next(dev());
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 1);
}

TEST_CASE_METHOD(fixture, "A wait that a plugin gives up early is gone on with", "[R-504][R-524]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    event mark(dev());
    kept_alive source;
    mock.hold();
    copy_to_device(on, data, target, 0, source.reference());
    mark.record(on);
    SECTION("for a stream") {
        mock.fail("stream_sync", SPOC_BE_NOT_READY, 0, 2);
        on.synchronize();
        CHECK(mock.count("stream_sync") == 3);
    }
    SECTION("for an event") {
        mock.fail("event_sync", SPOC_BE_NOT_READY, 0, 2);
        mark.synchronize();
        CHECK(mock.count("event_sync") == 3);
    }
    CHECK(mock.pending() == 0);
    CHECK_FALSE(source.is_kept());
}

TEST_CASE("A stream of another device is refused", "[R-506]") {
    recorded_runtime runtime;
    runtime.mock.set_devices(2);
    const device first(runtime.start());
    const device second(runtime.device(1));
    {
        const stream on(second);
        const buffer target(first, 64);
        const auto data = bytes(64);
        CHECK(thrown([&] { copy_to_device(on, data, target); }) == "invalid_argument device");
        CHECK(thrown([&] { fill(on, target, 0, 64, std::uint8_t{1}); }) ==
              "invalid_argument device");
        event mark(first);
        CHECK(thrown([&] { mark.record(on); }) == "invalid_argument device");
    }
    CHECK(runtime.mock.count("copy") == 0);
    CHECK(runtime.mock.count("event_record") == 0);
}

TEST_CASE_METHOD(fixture, "A flush is handed on", "[R-507]") {
    const stream on(dev());
    on.flush();
    CHECK(mock.count("stream_flush") == 1);
    CHECK(mock.count("stream_sync") == 0);
}

TEST_CASE("Handles outlive the runtime", "[H-42]") {
    recorded_runtime runtime;
    const device first(runtime.start());
    stream on(first);
    event mark(first);
    pinned_buffer<int> memory(first, 16);
    const buffer target(first, 64);
    runtime.stop();
    CHECK(runtime.mock.gate.alive(SPOC_MOCK_STREAMS) == 0);
    CHECK(runtime.mock.gate.alive(SPOC_MOCK_EVENTS) == 0);
    CHECK(runtime.mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
    CHECK(thrown([&] { on.synchronize(); }) == "unavailable shut_down");
    runtime.start();
    CHECK(thrown([&] { on.synchronize(); }) == "unavailable shut_down");
    CHECK(thrown([&] { mark.synchronize(); }) == "unavailable shut_down");
}

}  // namespace spoc::test
