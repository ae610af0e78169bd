// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

constexpr std::size_t most = SPOC_MOST_STAGED_BYTES;
constexpr std::size_t ring_bytes = std::size_t{1} << 20;
constexpr std::size_t ring_pieces = ring_bytes / most;

/// A device that takes no small writes by itself: they go through the ring.
class ring_device : public held_device {
 public:
    ring_device() {
        first.reset();
        runtime.stop();
        mock.device().inline_write = 0;
        begin();
    }

    /// The bytes of a vector's copy on the device, once everything ran.
    template <typename T>
    std::vector<std::byte> contents(const detail::typed_vector<T>& of) {
        mock.hold(false);
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
        mock.release();
        std::vector<std::byte> got(static_cast<std::size_t>(of.size()));
        of.read_bytes(0, got);
        return got;
    }

    /// Held work runs when somebody waits for it, and no more than is waited for.
    void hold_until_waited_for() {
        mock.hold();
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
    }

    std::uint64_t waits() const { return mock.count("stream_sync") + mock.count("event_sync"); }
};

using byte_vector = device_vector<std::byte>;

}  // namespace

TEST_CASE("What cannot be staged is told before any call of the plugin", "[R-701][R-002][R-403]") {
    two_devices fixture;
    fixture.begin();
    vector<std::byte> v(most + 2);
    v.fill(std::byte{1});
    v.to_device(*fixture.d);
    byte_vector freed(*fixture.d, 8);
    freed.free_buffer(*fixture.d);
    vector<std::byte> on_host(8);
    vector<std::byte> stale(8, *fixture.d);
    stream closed(*fixture.d);
    closed.close();
    const stream there(*fixture.e);
    const auto data = bytes(most + 1);
    const std::span<const std::byte> few(data.data(), 8);
    fixture.mock.forget();
    CHECK(thrown([&] { v.stage(0, data); }) == "invalid_argument too_much");
    CHECK(thrown([&] { v.stage(most, few); }) == "invalid_argument bounds");
    CHECK(thrown([&] { v.stage_bytes(UINT64_MAX, few); }) == "invalid_argument bounds");
    CHECK(thrown([&] { freed.stage(0, few); }) == "invalid_argument freed");
    CHECK(thrown([&] { on_host.stage(0, few); }) == "invalid_argument location");
    CHECK(thrown([&] { stale.stage(0, few); }) == "invalid_argument location");
    CHECK(thrown([&] { v.stage(closed, 0, few); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { v.stage(there, 0, few); }) == "invalid_argument device");
    const void* const nothing = nullptr;
    const spoc_stream none = nullptr;
    CHECK(told(spoc_vector_stage, v.get(), 0UL, nothing, 1UL, none) == "invalid_argument null");
    CHECK(told(spoc_vector_stage, spoc_vector{nullptr}, 0UL, nothing, 0UL, none) ==
          "invalid_argument null");
    CHECK(fixture.mock.records().empty());
    CHECK(fixture.place(v) == "both d");
    spoc_error error = SPOC_ERROR_INIT;
    spoc_vector_stage(v.get(), 0, data.data(), data.size(), nullptr, &error);
    CHECK(error.asked == most + 1);
    CHECK(error.limit == most);
    v.stage(0, {data.data(), most});
    CHECK(fixture.place(v) == "stale_host d");
}

TEST_CASE("A vector that the host writes to is not staged into", "[R-701]") {
    ring_device fixture;
    vector<std::byte> v(8);
    v.to_device(fixture.dev());
    const host_writer<std::byte> writer = v.write();
    CHECK(thrown([&] { v.stage(0, bytes(8)); }) == "invalid_argument busy");
}

TEST_CASE("A buffer takes staged writes, with the same refusals", "[R-701]") {
    ring_device fixture;
    const stream on(fixture.dev());
    buffer target(fixture.dev(), most + 1);
    const auto data = bytes(most + 1);
    const spoc_stream none = nullptr;
    fixture.mock.forget();
    CHECK(thrown([&] { stage(on, data, target); }) == "invalid_argument too_much");
    CHECK(thrown([&] { stage(on, {data.data(), 8}, target, most); }) == "invalid_argument bounds");
    CHECK(told(spoc_enqueue_staged, none, static_cast<const void*>(data.data()), 8UL, target.get(),
               0UL) == "invalid_argument null");
    stage(on, {}, target, most);
    CHECK(fixture.mock.records().empty());
    stage(on, {data.data(), most}, target, 1);
    std::vector<std::byte> got(most);
    copy_to_host(target, 1, got);
    CHECK(std::equal(got.begin(), got.end(), data.begin()));
    target.free();
    CHECK(thrown([&] { stage(on, {data.data(), 8}, target); }) == "invalid_argument freed");
}

TEST_CASE("A staged write leaves the host's copy old, and none of 0 bytes does",
          "[R-701][R-402][R-704]") {
    two_devices fixture;
    fixture.mock.device(0).inline_write = GENERATE(0U, 65536U);
    fixture.begin();
    placed_vector both(fixture, "both d");
    fixture.mock.forget();
    both.v.stage(0, {});
    CHECK(fixture.place(both.v) == "both d");
    CHECK(fixture.mock.records().empty());
    const auto data = numbers(7);
    both.v.stage(2, {data.data(), 3});
    CHECK(fixture.place(both.v) == "stale_host d");
    std::copy_n(data.begin(), 3, both.fresh.begin() + 2);
    CHECK(both.on_device() == both.fresh);
    CHECK(copy_of(both.v.read()) == both.fresh);
    placed_vector older(fixture, "stale_host d");
    older.v.stage(0, data);
    CHECK(fixture.place(older.v) == "stale_host d");
    CHECK(copy_of(older.v.read()) == data);
}

TEST_CASE("A staged source may change as soon as the call returns", "[R-702][H-20]") {
    held_device fixture;
    fixture.first.reset();
    fixture.runtime.stop();
    fixture.mock.device().inline_write = GENERATE(0U, 65536U);
    fixture.begin();
    byte_vector v(fixture.dev(), 3000);
    auto data = bytes(1000, 3);
    const auto first = data;
    const stream on(fixture.dev());
    fixture.hold();
    // The same source again and again, as with one page-locked buffer that is used by hand.
    v.stage(on, 0, data);
    std::fill(data.begin(), data.end(), std::byte{0xEE});
    v.stage(on, 1000, data);
    std::fill(data.begin(), data.end(), std::byte{0x11});
    v.stage(on, 2000, data);
    std::fill(data.begin(), data.end(), std::byte{0});
    CHECK(fixture.mock.pending() == 3);
    fixture.release();
    fixture.mock.hold(false);
    on.synchronize();
    std::vector<std::byte> got(3000);
    v.read_range(0, got);
    CHECK(std::equal(first.begin(), first.end(), got.begin()));
    CHECK(std::count(got.begin() + 1000, got.begin() + 2000, std::byte{0xEE}) == 1000);
    CHECK(std::count(got.begin() + 2000, got.end(), std::byte{0x11}) == 1000);
}

TEST_CASE("As many writes as the ring holds wait for nothing, and the next one would",
          "[R-703][R-003]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), most);
    const stream on(fixture.dev());
    const auto data = bytes(most);
    fixture.hold();
    for (std::size_t i = 0; i < ring_pieces; ++i) {
        v.stage(on, 0, data);
    }
    CHECK(fixture.waits() == 0);
    CHECK(thrown([&] { v.stage(on, 0, data); }) == "backend_error sync_failed");
    CHECK(fixture.mock.count("copy") == ring_pieces);
    CHECK(thrown([&] { v.free_buffer(fixture.dev()); }) == "invalid_argument busy");
}

TEST_CASE("A write that finds the ring full waits for the oldest one, and for no other",
          "[R-703][R-704]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), ring_bytes + most);
    const stream on(fixture.dev());
    fixture.hold_until_waited_for();
    for (std::size_t i = 0; i < ring_pieces; ++i) {
        v.stage(on, i * most, bytes(most, static_cast<unsigned>(i)));
    }
    fixture.mock.forget();
    const std::uint64_t held = fixture.mock.pending();
    v.stage(on, ring_bytes, bytes(most, 99));
    CHECK(fixture.mock.count("stream_sync") == 0);
    CHECK(fixture.mock.count("event_sync") == 1);
    // The oldest copy and what marks its end ran; a mark and a copy came.
    CHECK(fixture.mock.pending() == held);
    const auto got = fixture.contents(v);
    for (std::size_t i = 0; i <= ring_pieces; ++i) {
        const auto wanted = bytes(most, static_cast<unsigned>(i < ring_pieces ? i : 99));
        CAPTURE(i);
        CHECK(std::equal(wanted.begin(), wanted.end(),
                         got.begin() + static_cast<std::ptrdiff_t>(i * most)));
    }
}

TEST_CASE("A thread that waits for the ring goes on when the oldest write is done", "[R-703]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), most);
    const stream on(fixture.dev());
    const auto data = bytes(most);
    fixture.mock.hold();
    fixture.mock.on_wait(SPOC_MOCK_WAIT_BLOCK);
    for (std::size_t i = 0; i < ring_pieces; ++i) {
        v.stage(on, 0, data);
    }
    std::atomic<bool> returned = false;
    std::thread waiting([&] {
        v.stage(on, 0, data);
        returned = true;
    });
    fixture.mock.gate.await_waiters(1);
    CHECK_FALSE(returned);
    CHECK(fixture.mock.count("copy") == ring_pieces);
    // The oldest copy and the mark behind it.
    CHECK(fixture.mock.release(2) == 2);
    waiting.join();
    CHECK(fixture.mock.count("copy") == ring_pieces + 1);
    CHECK(fixture.mock.pending() >= ring_pieces);
}

TEST_CASE("A piece is not used again because a younger one of another stream is done",
          "[R-704][H-19]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), ring_bytes + most);
    const stream slow(fixture.dev(), SPOC_STREAM_NON_BLOCKING);
    const stream fast(fixture.dev(), SPOC_STREAM_NON_BLOCKING);
    fixture.hold();
    for (std::size_t i = 0; i < ring_pieces; ++i) {
        v.stage(i % 2 == 0 ? slow : fast, i * most, bytes(most, static_cast<unsigned>(i)));
    }
    const auto made = fixture.mock.calls("copy");
    fixture.mock.release(SPOC_BE_FOREVER, made.at(1).stream);
    fast.synchronize();
    const auto last = bytes(most, 99);
    CHECK(thrown([&] { v.stage(fast, ring_bytes, last); }) == "backend_error sync_failed");
    fixture.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    v.stage(fast, ring_bytes, last);
    const auto got = fixture.contents(v);
    for (std::size_t i = 0; i <= ring_pieces; ++i) {
        const auto wanted = bytes(most, static_cast<unsigned>(i < ring_pieces ? i : 99));
        CAPTURE(i);
        CHECK(std::equal(wanted.begin(), wanted.end(),
                         got.begin() + static_cast<std::ptrdiff_t>(i * most)));
    }
}

TEST_CASE("Pieces are aligned and whole, and right across the ring's end", "[R-704][B76]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), most + 16);
    const stream on(fixture.dev());
    fixture.hold_until_waited_for();
    auto model = bytes(most + 16, 0);
    v.write_range(0, model);
    constexpr std::array<std::size_t, 9> sizes = {1, 3, 5, 7, most, 255, 256, 257, most - 1};
    std::size_t staged = 0;
    unsigned seed = 1;
    while (staged < 10 * ring_bytes) {
        const std::size_t size = sizes[seed % sizes.size()];
        const std::size_t at = size < most - 1 ? seed % 16 + seed % 1000 : seed % 16;
        const auto data = bytes(size, seed++);
        v.stage(on, at, data);
        std::copy(data.begin(), data.end(), model.begin() + static_cast<std::ptrdiff_t>(at));
        staged += size;
    }
    CHECK(fixture.mock.count("pinned_alloc") == 1);
    bool all_are_right = true;
    for (const spoc_mock_call& one : fixture.mock.calls("copy")) {
        all_are_right = all_are_right && (one.hostmem == 0 || one.host_offset % 256 == 0) &&
                        one.host_offset + one.bytes <= ring_bytes;
    }
    CHECK(all_are_right);
    CHECK(fixture.contents(v) == model);
}

TEST_CASE("The ring is no memory of the program's", "[R-704]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), 8);
    v.stage(0, bytes(8));
    const auto made = fixture.mock.calls("pinned_alloc");
    REQUIRE(made.size() == 1);
    CHECK(made[0].bytes == ring_bytes);
    CHECK(spoc_host_memory_is_live(made[0].host, ring_bytes) == 0);
    CHECK(stats(fixture.dev()).pinned == 0);
    CHECK(stats(fixture.dev()).ring_bytes == ring_bytes);
}

TEST_CASE("Where no memory can be locked staging says so, and works once it can",
          "[R-703][R-001][B54]") {
    ring_device fixture;
    fixture.mock.set(SPOC_MOCK_PINNED_BUDGET, 512 << 10);
    vector<std::byte> v(8);
    v.fill(std::byte{1});
    v.to_device(fixture.dev());
    fixture.mock.forget();
    const auto data = bytes(8, 5);
    CHECK(thrown([&] { v.stage(0, data); }) == "backend_error oom");
    CHECK(fixture.mock.count("copy") == 0);
    CHECK(v.location() == SPOC_LOCATION_BOTH);
    CHECK(stats(fixture.dev()).ring_bytes == 0);
    v.write_range(0, data);
    CHECK(fixture.contents(v) == data);
    fixture.mock.set(SPOC_MOCK_PINNED_BUDGET, 256 << 20);
    const auto other = bytes(8, 6);
    v.stage(0, other);
    CHECK(fixture.contents(v) == other);
}

TEST_CASE("A staged write stands between what is before and what is after it on its stream",
          "[R-705]") {
    held_device fixture;
    fixture.first.reset();
    fixture.runtime.stop();
    fixture.mock.device().inline_write = GENERATE(0U, 65536U);
    fixture.begin();
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), 64);
    const buffer seen(fixture.dev(), 128);
    const auto old = bytes(64, 1);
    const auto fresh = bytes(64, 2);
    copy_to_device(old, target);
    fixture.hold();
    fixture.mock.forget();
    copy_on_device(on, target, 0, seen, 0, 64);
    stage(on, fresh, target);
    copy_on_device(on, target, 0, seen, 64, 64);
    CHECK(fixture.mock.count("stream_sync") + fixture.mock.count("event_sync") == 0);
    CHECK(fixture.mock.count("copy") == 3);
    fixture.release();
    on.synchronize();
    std::vector<std::byte> got(128);
    fixture.mock.hold(false);
    copy_to_host(seen, 0, got);
    CHECK(std::equal(old.begin(), old.end(), got.begin()));
    CHECK(std::equal(fresh.begin(), fresh.end(), got.begin() + 64));
}

TEST_CASE("Without a stream a vector's other work is waited for first, with one it is not",
          "[R-705][R-530][R-531]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), 64);
    const stream apart(fixture.dev(), SPOC_STREAM_NON_BLOCKING);
    const auto data = bytes(64, 1);
    fixture.hold();
    v.stage(apart, 0, bytes(64, 9));
    v.stage(stream::default_of(fixture.dev()), 0, data);
    CHECK(thrown([&] { v.stage(0, data); }) == "backend_error sync_failed");
    fixture.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    fixture.mock.forget();
    v.stage(0, data);
    CHECK(fixture.mock.count("stream_sync") == 1);
    // It waited for that stream, and for nothing after it.
    CHECK(fixture.mock.pending() >= 1);
    CHECK(fixture.contents(v) == data);
}

TEST_CASE("A vector is busy until a staged write is proved complete", "[R-706][R-511]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), most);
    byte_vector w(fixture.dev(), most);
    const stream on(fixture.dev());
    const auto data = bytes(most);
    fixture.hold_until_waited_for();
    v.stage(on, 0, data);
    CHECK(thrown([&] { v.free_buffer(fixture.dev()); }) == "invalid_argument busy");
    SECTION("by waiting for the stream") {
        on.synchronize();
        v.free_buffer(fixture.dev());
    }
    SECTION("by waiting for the device") {
        synchronize(fixture.dev());
        v.free_buffer(fixture.dev());
    }
    SECTION("by the ring, which went round") {
        for (std::size_t i = 1; i < ring_pieces; ++i) {
            w.stage(on, 0, data);
        }
        CHECK(thrown([&] { v.free_buffer(fixture.dev()); }) == "invalid_argument busy");
        w.stage(on, 0, data);
        v.free_buffer(fixture.dev());
        CHECK(thrown([&] { w.free_buffer(fixture.dev()); }) == "invalid_argument busy");
    }
}

TEST_CASE("A vector destroyed before its staged write ran is kept for it", "[R-706][R-510]") {
    ring_device fixture;
    const stream on(fixture.dev());
    fixture.hold();
    { byte_vector(fixture.dev(), 64).stage(on, 0, bytes(64)); }
    CHECK(fixture.mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    fixture.release();
    on.synchronize();
    CHECK(fixture.mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE("How a write is staged is the device's to say", "[R-707][R-001]") {
    recorded_runtime runtime;
    recording& mock = runtime.mock;
    spoc_be_device_info& info = mock.device();
    std::string wanted = "waits";
    std::uint64_t offset = 0;
    SECTION("the device's memory is the host's") { mock.gate.describe(0, SPOC_BE_KIND_CPU); }
    SECTION("copies are not enqueued") {
        info.inline_write = 0;
        mock.set_capability(SPOC_BE_CAP_COPY_ENQUEUED, SPOC_MOCK_NO);
    }
    SECTION("the driver takes the bytes") { wanted = "consumes"; }
    SECTION("the driver takes fewer") {
        info.inline_write = 63;
        wanted = "ring";
    }
    SECTION("the driver takes other offsets") {
        info.inline_align = 4;
        offset = 2;
        wanted = "ring";
    }
    SECTION("no memory can be locked") {
        info.inline_write = 0;
        mock.set_capability(SPOC_BE_CAP_PINNED, SPOC_MOCK_NO);
        wanted = "feature_not_supported none";
    }
    const device first(runtime.start());
    byte_vector v(first, 128);
    const auto data = bytes(64, 4);
    mock.forget();
    const std::string answer = thrown([&] { v.stage(offset, data); });
    if (answer != "ok") {
        CHECK(answer == wanted);
        CHECK(mock.records().empty());
        return;
    }
    const auto calls = mock.calls("copy");
    REQUIRE(calls.size() == 1);
    const bool waits = (calls[0].flags & SPOC_BE_WAIT) != 0;
    const bool consumes = (calls[0].flags & SPOC_BE_CONSUME_HOST) != 0;
    const std::string way = waits ? "waits" : consumes ? "consumes" : "ring";
    CHECK(way == wanted);
    CHECK(mock.count("pinned_alloc") == (wanted == "ring" ? 1 : 0));
    std::vector<std::byte> got(64);
    v.read_range(offset, got);
    CHECK(got == data);
}

TEST_CASE("In the steady state a staged write is one call of the plugin and takes no memory",
          "[R-703][R-706]") {
    held_device fixture;
    fixture.first.reset();
    fixture.runtime.stop();
    fixture.mock.device().inline_write = GENERATE(0U, 65536U);
    fixture.begin();
    byte_vector v(fixture.dev(), most);
    const stream on(fixture.dev());
    const std::size_t size = GENERATE(std::size_t{32}, most);
    const auto data = bytes(size);
    fixture.mock.hold();
    fixture.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    v.stage(on, 0, data);
    on.synchronize();
    std::uint64_t at_entry = 0;
    fixture.mock.gate.set_hook(
        [](void* place, std::uint32_t) { *static_cast<std::uint64_t*>(place) = allocations(); },
        &at_entry);
    for (int step = 0; step < 50; ++step) {
        fixture.mock.forget();
        const std::uint64_t before = allocations();
        v.stage(on, 0, data);
        const bool took_none = at_entry == before;
        CHECK(took_none);
        CHECK(fixture.mock.records().size() == 1);
        CHECK(fixture.mock.count("copy") == 1);
        on.synchronize();
    }
    fixture.mock.gate.set_hook(nullptr, nullptr);
}

TEST_CASE("Staged writes that fail leave nothing behind", "[R-003]") {
    ring_device fixture;
    vector<std::byte> v(most);
    v.to_device(fixture.dev());
    const stream on(fixture.dev());
    const auto data = bytes(most);
    fixture.mock.hold();
    fixture.mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    fixture.mock.fail("copy", SPOC_BE_DRIVER, 0, 2 * ring_pieces);
    for (std::size_t i = 0; i < 2 * ring_pieces; ++i) {
        CHECK(thrown([&] { v.stage(on, 0, data); }) == "backend_error copy_failed");
    }
    CHECK(v.location() == SPOC_LOCATION_BOTH);
    CHECK(fixture.mock.pending() == 0);
    // All of the ring is free again.
    for (std::size_t i = 0; i < ring_pieces; ++i) {
        v.stage(on, 0, data);
    }
    CHECK(fixture.waits() == 0);
}

TEST_CASE("Without marks the ring waits for the stream", "[R-703]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), most);
    const stream on(fixture.dev());
    fixture.hold_until_waited_for();
    fixture.mock.fail("event_create", SPOC_BE_DRIVER, 0, SPOC_MOCK_ALWAYS);
    auto last = bytes(most);
    for (unsigned i = 0; i < 3 * ring_pieces; ++i) {
        last = bytes(most, i);
        v.stage(on, 0, last);
    }
    CHECK(fixture.mock.count("stream_sync") == 2);
    CHECK(fixture.contents(v) == last);
}

TEST_CASE("A stream that was given back or closed does not hold up the ring", "[R-704][R-505]") {
    ring_device fixture;
    byte_vector v(fixture.dev(), most);
    const stream other(fixture.dev());
    fixture.hold_until_waited_for();
    std::optional<stream> gone(fixture.dev());
    const auto data = bytes(most, 7);
    for (std::size_t i = 0; i < ring_pieces; ++i) {
        v.stage(*gone, 0, data);
    }
    if (GENERATE(false, true)) {
        gone->close();
    }
    gone.reset();
    const auto last = bytes(most, 8);
    for (std::size_t i = 0; i < ring_pieces; ++i) {
        v.stage(other, 0, last);
    }
    CHECK(fixture.contents(v) == last);
    synchronize(fixture.dev());
    CHECK(fixture.mock.gate.alive(SPOC_MOCK_STREAMS) == 1);
}

TEST_CASE("Threads stage through one ring without disturbing each other", "[R-704][R-540]") {
    ring_device fixture;
    fixture.hold_until_waited_for();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (unsigned thread = 1; thread <= 4; ++thread) {
        threads.emplace_back([&, thread] {
            byte_vector v(fixture.dev(), most);
            const stream on(fixture.dev());
            std::vector<std::byte> model(most);
            v.write_range(0, model);
            for (unsigned round = 0; round < 150; ++round) {
                const std::size_t size = (round * 7919 + thread) % 20000 + 1;
                const auto data = bytes(size, round * 4 + thread);
                v.stage(on, round, data);
                std::copy(data.begin(), data.end(), model.begin() + round);
            }
            on.synchronize();
            std::vector<std::byte> got(most);
            v.read_range(on, 0, got);
            on.synchronize();
            wrong += got == model ? 0 : 1;
        });
    }
    for (std::thread& one : threads) {
        one.join();
    }
    CHECK(wrong == 0);
    CHECK(stats(fixture.dev()).ring_bytes == ring_bytes);
}

TEST_CASE("No work between staged writes is lost", "[R-709]") {
    constexpr std::size_t steps = 300;
    ring_device fixture;
    std::atomic<bool> over = false;
    std::thread others([&] {
        while (!over) {
            byte_vector made(fixture.dev(), 64);
            made.stage(0, bytes(64));
        }
    });
    for (int run = 0; run < 20; ++run) {
        const stream on(fixture.dev());
        const buffer in(fixture.dev(), most);
        const buffer marks(fixture.dev(), steps * sizeof(std::uint32_t));
        fixture.hold_until_waited_for();
        std::vector<std::uint32_t> wanted;
        for (std::uint32_t step = 0; step < steps; ++step) {
            std::vector<std::uint32_t> input(run % 2 == 0 ? 8 : 4096, step + 1);
            stage(on, std::as_bytes(std::span(input)), in);
            // What a kernel would do: a mark that says what it read.
            copy_on_device(on, in, 0, marks, step * sizeof(std::uint32_t), sizeof(std::uint32_t));
            wanted.push_back(step + 1);
        }
        on.synchronize();
        std::vector<std::uint32_t> got(steps);
        copy_to_host(marks, 0, std::as_writable_bytes(std::span(got)));
        CHECK(got == wanted);
    }
    over = true;
    others.join();
}

}  // namespace spoc::test
