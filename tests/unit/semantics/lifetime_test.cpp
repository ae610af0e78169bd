// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pages.hpp"
#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = held_device;

/// Calls a function when its last reference ends.
class at_end {
 public:
    explicit at_end(std::function<void()> what) : what_(std::move(what)) {}
    ~at_end() { what_(); }
    at_end(const at_end&) = delete;
    at_end& operator=(const at_end&) = delete;

 private:
    std::function<void()> what_;
};

/// Exit status of a forked child that runs `body`, whose answer is the status.
template <typename Body>
int in_child(Body body) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::_exit(body());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE_METHOD(fixture, "A buffer says where it lies, and is freed when nothing uses it",
                 "[R-305][R-306]") {
    const auto data = bytes(64);
    auto target = std::make_unique<buffer>(dev(), 64);
    spoc_buffer_info info{};
    info.size = sizeof info;
    REQUIRE(told(spoc_buffer_describe, target->get(), &info) == "ok");
    CHECK(info.bytes == 64);
    CHECK(info.device_address == 0);  // this device exposes none
    CHECK(target->where() == dev());
    copy_to_device(data, *target);
    target.reset();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "An empty buffer is one without memory", "[R-302]") {
    buffer empty(dev(), 0);
    const stream on(dev());
    mock.forget();
    copy_to_device(on, {}, empty);
    fill(on, empty, 0, 0, std::uint8_t{1});
    CHECK(thrown([&] { fill(on, empty, 0, 1, std::uint8_t{1}); }) == "invalid_argument bounds");
    empty.free();
    CHECK(mock.records().empty());
    CHECK(thrown([&] { copy_to_device(on, {}, empty); }) == "invalid_argument freed");
}

TEST_CASE_METHOD(fixture, "Out of memory, what completed work kept is given back first",
                 "[R-303]") {
    const stream on(dev());
    const auto data = bytes(64);
    hold();
    {
        const buffer dropped(dev(), 64);
        copy_to_device(on, data, dropped);
    }
    release();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    mock.fail("buffer_create", SPOC_BE_OUT_OF_MEMORY);
    const buffer made(dev(), 64);
    CHECK(mock.count("buffer_destroy") == 1);
    CHECK(mock.count("stream_sync") == 0);
}

TEST_CASE("A device of a runtime that ended is unavailable", "[R-308]") {
    recorded_runtime runtime;
    const spoc_device old = runtime.start();
    runtime.stop();
    const device next(runtime.start());
    CHECK(next.get() != old);
    spoc_buffer made_buffer = nullptr;
    spoc_stream made_stream = nullptr;
    spoc_event made_event = nullptr;
    spoc_host_memory made_memory = nullptr;
    const spoc_stream_options* ordinary = nullptr;
    CHECK(told(spoc_buffer_create, old, 64UL, &made_buffer) == "unavailable shut_down");
    CHECK(told(spoc_stream_create, old, ordinary, &made_stream) == "unavailable shut_down");
    CHECK(told(spoc_stream_default, old, &made_stream) == "unavailable shut_down");
    CHECK(told(spoc_event_create, old, 0U, &made_event) == "unavailable shut_down");
    CHECK(told(spoc_host_memory_allocate, old, 64UL, &made_memory) == "unavailable shut_down");
    CHECK(told(spoc_device_synchronize, old) == "unavailable shut_down");
    CHECK(runtime.mock.count("device_open") == 0);
}

TEST_CASE("A shutdown completes what is pending and gives back what was lent", "[R-603][R-511]") {
    recorded_runtime runtime;
    const device first(runtime.start());
    std::optional<stream> on(first);
    stream closed(first);
    closed.close();
    std::optional<pinned_buffer<std::byte>> memory(std::in_place, first, 64);
    const auto range = memory->elements();
    buffer target(first, 64);
    const auto data = bytes(64);
    kept_alive source;
    runtime.mock.hold();
    copy_to_device(*on, data, target, 0, source.reference());
    runtime.stop();
    CHECK_FALSE(source.is_kept());
    CHECK_FALSE(is_live(range));
    CHECK_FALSE(memory->is_live());
    runtime.start();
    CHECK(thrown([&] { on->close(); }) == "unavailable shut_down");
    CHECK(thrown([&] { target.free(); }) == "ok");
    on.reset();
    memory.reset();
}

TEST_CASE("What a lost device may still touch is never given back", "[H-41][R-504]") {
    recorded_runtime runtime;
    const device first(runtime.start());
    auto source = std::make_unique<std::vector<std::byte>>(bytes(64));
    kept_alive lent;
    {
        const stream on(first);
        const buffer target(first, 64);
        runtime.mock.hold();
        copy_to_device(on, *source, target, 0, lent.reference());
        runtime.mock.gate.lose(0);
        CHECK(thrown([&] { on.synchronize(); }) == "backend_error device_lost");
        CHECK(thrown([&] { synchronize(first); }) == "backend_error device_lost");
        CHECK(lent.is_kept());
    }
    CHECK(lent.is_kept());
    runtime.stop();
    CHECK(lent.is_kept());
    // It is the library's for good, as the header says; the test knows that nothing will touch it.
}

TEST_CASE_METHOD(fixture, "What is given back may call the library", "[R-542]") {
    const stream on(dev());
    const stream other(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    int calls = 0;
    const auto reenter = [&] {
        ++calls;
        on.synchronize();
        copy_to_device(on, data, target);
        event mark(dev());
        mark.record(on);
        mark.synchronize();
        synchronize(dev());
        pinned_buffer<int>(dev(), 16).release();
    };
    mock.hold();
    copy_to_device(on, data, target, 0, std::make_shared<at_end>(reenter));
    copy_to_device(other, data, target, 0, std::make_shared<at_end>(reenter));
    mock.release();
    SECTION("by a wait") { on.synchronize(); }
    SECTION("by a query") { CHECK(on.idle()); }
    SECTION("by the device") { synchronize(dev()); }
    SECTION("by an end") { stream(dev()).close(); }
    synchronize(dev());
    CHECK(calls == 2);
    mock.hold(false);
    copy_to_device(on, data, target, 0, std::make_shared<at_end>(reenter));
    CHECK(calls == 3);
}

TEST_CASE_METHOD(fixture, "In a forked child everything is refused or does nothing", "[R-543]") {
    auto on = std::make_unique<stream>(dev());
    auto mark = std::make_unique<event>(dev());
    auto target = std::make_unique<buffer>(dev(), 64);
    const pages memory(1);
    auto pinned = std::make_unique<pinned_buffer<std::byte>>(dev(), 64);
    auto range = std::make_unique<host_registration>(dev(), memory.all());
    kept_alive source;
    hold();
    copy_to_device(*on, pinned->elements(), *target, 0, source.reference());
    mock.forget();
    const int status = in_child([&] {
        int wrong = 0;
        const auto expect_forked = [&](auto body) {
            wrong += thrown(body) == "unavailable forked" ? 0 : 1;
        };
        expect_forked([&] { on->synchronize(); });
        expect_forked([&] { on->close(); });
        expect_forked([&] { static_cast<void>(on->idle()); });
        expect_forked([&] { mark->record(*on); });
        expect_forked([&] { mark->synchronize(); });
        expect_forked([&] { copy_to_device(memory.all().first(64), *target); });
        expect_forked([&] { range->release(); });
        expect_forked([&] { pinned_buffer<int>(dev(), 16); });
        wrong += is_live(memory.all()) ? 1 : 0;
        range.reset();
        pinned.reset();
        target.reset();
        mark.reset();
        on.reset();
        wrong += source.is_kept() ? 0 : 1;
        return wrong + static_cast<int>(mock.gate.record_count());
    });
    CHECK(status == 0);
    release();
    on->synchronize();
}

}  // namespace spoc::test
