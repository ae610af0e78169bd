// SPDX-License-Identifier: Apache-2.0

/// \file
/// What went wrong elsewhere in this field, tried here. tests/README.md has the reports by number.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pages.hpp"
#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = held_device;

constexpr const char* busy = "invalid_argument busy";
constexpr const char* shut_down = "unavailable shut_down";

}  // namespace

TEST_CASE_METHOD(fixture, "What outlives the runtime is refused or nothing, and its work is done",
                 "[B29][R-308]") {
    auto on = std::make_unique<stream>(dev());
    auto mark = std::make_unique<event>(dev());
    auto target = std::make_unique<buffer>(dev(), 64);
    auto pinned = std::make_unique<pinned_buffer<std::byte>>(dev(), 64);
    auto v = std::make_unique<vector<std::int32_t>>(elements);
    v->fill(1);
    v->to_device(dev());
    kept_alive lent;
    mock.hold();
    mock.on_wait(SPOC_MOCK_WAIT_RUN);
    copy_to_device(*on, pinned->elements(), *target, 0, lent.reference());
    mark->record(*on);
    runtime.stop();
    CHECK_FALSE(lent.is_kept());
    CHECK(mock.gate.left_at_close() == 0);
    CHECK(thrown([&] { on->synchronize(); }) == shut_down);
    CHECK(thrown([&] { mark->synchronize(); }) == shut_down);
    CHECK(thrown([&] { copy_to_device(bytes(64), *target); }) == shut_down);
    CHECK(thrown([&] { v->to_device(dev()); }) != "backend_error driver");
    CHECK(v->host_unsynced()[0] == 1);
    // A stream goes before what was used on it.
    mock.forget();
    on.reset();
    target.reset();
    mark.reset();
    pinned.reset();
    v.reset();
    CHECK(mock.records().empty());
    CHECK(told(spoc_shutdown) == "unavailable not_initialised");
}

TEST_CASE("One page-locked block serves two devices in turn, and events stay with theirs",
          "[B31][R-506][R-521]") {
    two_devices on;
    on.begin();
    pinned_buffer<std::byte> slot(*on.d, 64);
    const std::array targets{buffer(*on.d, 64), buffer(*on.e, 64)};
    const std::array streams{stream(*on.d, SPOC_STREAM_NON_BLOCKING),
                             stream(*on.e, SPOC_STREAM_NON_BLOCKING)};
    std::array marks{event(*on.d), event(*on.e)};
    on.mock.hold();
    on.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    for (unsigned turn = 0; turn < 1000; ++turn) {
        const std::size_t which = turn % 2;
        marks[1 - which].synchronize();
        marks[which].synchronize();
        const auto data = bytes(64, turn);
        std::copy(data.begin(), data.end(), slot.data());
        copy_to_device(streams[which], slot.elements(), targets[which]);
        marks[which].record(streams[which]);
        CHECK(thrown([&] { slot.release(); }) == busy);
    }
    for (std::size_t which = 0; which < 2; ++which) {
        streams[which].synchronize();
        std::vector<std::byte> got(64);
        copy_to_host(targets[which], 0, got);
        CHECK(got == bytes(64, static_cast<unsigned>(998 + which)));
    }
    on.mock.forget();
    CHECK(thrown([&] { marks[0].record(streams[1]); }) == "invalid_argument device");
    CHECK(on.mock.records().empty());
}

TEST_CASE_METHOD(fixture, "A copy from within a block holds all of it, and no neighbour of it",
                 "[B32][R-513][R-608]") {
    pages own(3);
    pinned_buffer<std::byte> block(dev(), std::size_t{8} << 20);
    std::optional<host_registration> before(std::in_place, dev(), own.part(0, 1));
    std::optional<host_registration> middle(std::in_place, dev(), own.part(1, 1));
    std::optional<host_registration> after(std::in_place, dev(), own.part(2, 1));
    const buffer target(dev(), 8192);
    const stream on(dev());
    hold();
    for (const std::size_t at : {std::size_t{4096}, block.size() - 1}) {
        copy_to_device(on, block.elements().subspan(at, 1), target);
        CHECK(thrown([&] { block.release(); }) == busy);
        release();
        on.synchronize();
    }
    copy_to_device(on, own.part(1, 1), target);
    CHECK(thrown([&] { middle->release(); }) == busy);
    CHECK(thrown([&] { before->release(); }) == "ok");
    CHECK(thrown([&] { after->release(); }) == "ok");
    release();
    on.synchronize();
    CHECK(thrown([&] { middle->release(); }) == "ok");
    CHECK(thrown([&] { block.release(); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A destination that goes away while it is written is kept until it is",
                 "[B34][R-411][R-225]") {
    const auto data = bytes(4096, 5);
    const buffer source(dev(), data.size());
    copy_to_device(data, source);
    const stream on(dev());
    hold();
    auto destination = std::make_shared<std::vector<std::byte>>(data.size());
    const std::weak_ptr<std::vector<std::byte>> seen = destination;
    copy_to_host(on, source, 0, *destination, destination);
    destination = std::make_shared<std::vector<std::byte>>(2 * data.size());
    REQUIRE_FALSE(seen.expired());
    release();
    CHECK(*seen.lock() == data);
    on.synchronize();
    CHECK(seen.expired());
}

TEST_CASE_METHOD(fixture, "An event of one stream proves nothing of a buffer's use on another",
                 "[B35][R-511][R-513]") {
    vector<std::int32_t> v(elements);
    v.fill(1);
    v.to_device(dev());
    const stream one(dev(), SPOC_STREAM_NON_BLOCKING);
    const stream other(dev(), SPOC_STREAM_NON_BLOCKING);
    const auto written = numbers(4);
    hold();
    event early(dev());
    early.record(one);
    v.write_range(other, 0, written);
    mock.release(SPOC_BE_FOREVER, mock.calls("event_record").back().stream);
    early.synchronize();
    CHECK(thrown([&] { v.free_buffer(dev()); }) == busy);
    event late(dev());
    late.record(other);
    release();
    late.synchronize();
    CHECK(thrown([&] { v.free_buffer(dev()); }) == "ok");
    CHECK(copy_of(v.read()) == written);
}

TEST_CASE_METHOD(fixture, "Looking for memory frees nothing that pending work needs",
                 "[B36][R-225][R-303]") {
    mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    const stream on(dev());
    std::vector<std::int32_t> written = numbers(6);
    std::vector<std::int32_t> got(elements);
    mock.hold();
    {
        device_vector<std::int32_t> v(dev(), elements);
        v.write_range(on, 0, written);
        v.read_range(on, 0, got);
    }
    mock.fail("buffer_create", SPOC_BE_OUT_OF_MEMORY);
    CHECK(thrown([&] { buffer(dev(), 64); }) == "ok");
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    mock.release();
    on.synchronize();
    CHECK(got == written);
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "Buffers outlive the stream that used them, and a stream ends once",
                 "[B37][R-505]") {
    stream on(dev());
    event mark(dev());
    buffer target(dev(), 64);
    const auto data = bytes(64, 2);
    mock.hold();
    mock.on_wait(SPOC_MOCK_WAIT_RUN);
    copy_to_device(on, data, target);
    on.close();
    CHECK(mock.pending() == 0);
    std::vector<std::byte> got(64);
    copy_to_host(target, 0, got);
    CHECK(got == data);
    CHECK(thrown([&] { on.close(); }) == "ok");
    CHECK(mock.count("stream_destroy") == 1);
    CHECK(thrown([&] { mark.record(on); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { wait(on, mark); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { target.free(); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A read without a stream sees what a non-blocking stream still writes",
                 "[B39][R-530]") {
    const stream on(dev(), SPOC_STREAM_NON_BLOCKING);
    for (const std::size_t count : {4UL, 64UL << 10, (64UL << 10) + 1, 8UL << 20}) {
        vector<std::uint8_t> v(count);
        v.fill(1);
        v.to_device(dev());
        const std::vector<std::uint8_t> written(count, 7);
        mock.hold();
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
        v.write_range(on, 0, written);
        REQUIRE(mock.pending() == 1);
        std::vector<std::uint8_t> got(count);
        v.read_range(0, got);
        CHECK(got == written);
        CHECK(std::equal(written.begin(), written.end(), v.read().begin()));
        mock.hold(false);
    }
}

TEST_CASE_METHOD(fixture, "Only events that were asked for time are made with timing",
                 "[B44][R-520]") {
    const event plain(dev());
    const event timed(dev(), true);
    const auto made = mock.calls("event_create");
    REQUIRE(made.size() == 2);
    CHECK(made[0].flags == 0);
    CHECK(made[1].flags == SPOC_BE_EVENT_TIMING);
    // Nor do the library's own marks take time.
    mock.forget();
    synchronize(dev());
    CHECK(mock.count("event_create") == 0);
}

TEST_CASE_METHOD(fixture, "A stream whose last handle goes leaves its work what it uses",
                 "[B45][R-505][R-510]") {
    const auto data = bytes(64, 3);
    kept_alive lent;
    auto on = std::make_unique<stream>(dev());
    auto target = std::make_unique<buffer>(dev(), 64);
    hold();
    copy_to_device(*on, data, *target, 0, lent.reference());
    on.reset();
    target.reset();
    CHECK(lent.is_kept());
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 1);
    release();
    synchronize(dev());
    CHECK_FALSE(lent.is_kept());
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 0);
}

TEST_CASE_METHOD(fixture, "Ranges that share a page are refused before the driver sees them",
                 "[B46][R-607][H-44]") {
    pages own(16);
    const auto registering = [&](std::span<std::byte> range) {
        return thrown([&] { const host_registration made(dev(), range); });
    };
    const host_registration live(dev(), own.part(2, 4));
    const pinned_buffer<std::byte> block(dev(), 4096);
    mock.forget();
    for (const std::span<std::byte> range :
         {own.part(2, 4), own.part(3, 1), own.part(1, 2), own.part(5, 3), own.part(0, 16),
          own.part(2, 1).first(1), own.part(5, 1).last(10)}) {
        CHECK(registering(range) == "invalid_argument overlap");
    }
    CHECK(registering(block.elements()) == "invalid_argument overlap");
    CHECK(mock.records().empty());
    // Beside it, and unaligned where no page is shared.
    CHECK(registering(own.part(0, 2)) == "ok");
    CHECK(registering(own.part(6, 2)) == "ok");
    CHECK(registering(own.part(9, 1).subspan(100, 10)) == "ok");
    // What is no live range cannot be released: there is no handle on it.
    CHECK_FALSE(is_live(own.part(3, 1)));
    CHECK(is_live(own.part(2, 4)));
}

TEST_CASE_METHOD(fixture, "A copy across two registrations, or half in one, is whole",
                 "[B48][R-408]") {
    pages own(8);
    const host_registration low(dev(), own.part(0, 2));
    const host_registration high(dev(), own.part(2, 2));
    const buffer target(dev(), 4 * page);
    const stream on(dev());
    unsigned seed = 1;
    for (const auto& [start, count] :
         {std::pair{2 * page - 512, std::size_t{1024}},
          std::pair{4 * page - 512, std::size_t{1024}}, std::pair{std::size_t{7}, 4 * page - 7}}) {
        const std::span<std::byte> range = own.part(0, 8).subspan(start, count);
        for (const bool enqueued : {false, true}) {
            const auto data = bytes(count, ++seed);
            std::copy(data.begin(), data.end(), range.begin());
            enqueued ? copy_to_device(on, range, target) : copy_to_device(range, target);
            on.synchronize();
            std::fill(range.begin(), range.end(), std::byte{0});
            enqueued ? copy_to_host(on, target, 0, range) : copy_to_host(target, 0, range);
            on.synchronize();
            CHECK(std::equal(range.begin(), range.end(), data.begin()));
        }
    }
}

TEST_CASE_METHOD(fixture, "A registration that nobody releases ends with its handle",
                 "[B49][R-640]") {
    pages own(1);
    for (int i = 0; i < 2000; ++i) {
        const host_registration made(dev(), own.part(0, 1));
    }
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
    CHECK(mock.count("host_unregister") == 2000);
    CHECK_FALSE(is_live(own.part(0, 1)));
}

TEST_CASE_METHOD(fixture, "Nothing is copied and nothing page-locked without the driver",
                 "[B51][B68][R-402][R-601][R-606]") {
    pages own(1);
    const auto nothing = own.part(0, 1).first(0);
    const buffer target(dev(), 64);
    const stream on(dev());
    vector<std::int32_t> v(elements);
    v.fill(1);
    v.to_device(dev());
    vector<std::int32_t> empty(0);
    mock.forget();
    CHECK(thrown([&] { host_registration(dev(), own.part(0, 1).first(0)); }) ==
          "invalid_argument length");
    CHECK(thrown([&] { pinned_buffer<int>(dev(), 0); }) == "invalid_argument length");
    for (const std::uint64_t at : {0UL, 64UL}) {
        CHECK(thrown([&] { copy_to_device(nothing, target, at); }) == "ok");
        CHECK(thrown([&] { copy_to_host(on, target, at, nothing); }) == "ok");
    }
    CHECK(thrown([&] { copy_to_device(nothing, target, 65); }) == "invalid_argument bounds");
    v.write_bytes(32, nothing);
    CHECK(v.location() == SPOC_LOCATION_BOTH);
    CHECK(thrown([&] { v.write_bytes(33, nothing); }) == "invalid_argument bounds");
    CHECK(empty.read().empty());
    empty.fill(1);
    CHECK(mock.records().empty());
    empty.to_device(dev());
    CHECK(mock.count("copy") == 0);
}

TEST_CASE_METHOD(fixture, "A range that the driver finds too large says how large it may be",
                 "[B53][R-003]") {
    pages own(4);
    spoc_mock_fault fault = recording::fault("host_register", SPOC_BE_TOO_LARGE);
    fault.asked = 4 * page;
    fault.limit = 2 * page;
    mock.fail(fault);
    spoc_host_memory made = nullptr;
    const answer refused =
        ask(spoc_host_memory_register, dev().get(), static_cast<void*>(own.part(0, 4).data()),
            std::uint64_t{4 * page}, 0U, static_cast<const spoc_owner*>(nullptr), &made);
    CHECK(refused.text() == "backend_error too_large");
    CHECK(refused.error.asked == 4 * page);
    CHECK(refused.error.limit == 2 * page);
    CHECK(made == nullptr);
    CHECK_FALSE(is_live(own.part(0, 4)));
    CHECK(thrown([&] { host_registration(dev(), own.part(0, 2)); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A small budget for page-locked memory is told, and copies go on",
                 "[B54][R-601]") {
    mock.set(SPOC_MOCK_PINNED_BUDGET, std::uint64_t{512} << 10);
    CHECK(thrown([&] { pinned_buffer<std::byte>(dev(), 1 << 20); }) == "backend_error oom");
    const auto data = bytes(1 << 20, 4);
    const buffer target(dev(), data.size());
    copy_to_device(data, target);
    std::vector<std::byte> got(data.size());
    copy_to_host(target, 0, got);
    CHECK(got == data);
    mock.set(SPOC_MOCK_PINNED_BUDGET, SPOC_BE_NO_LIMIT);
    CHECK(thrown([&] { pinned_buffer<std::byte>(dev(), 1 << 20); }) == "ok");
}

TEST_CASE_METHOD(fixture, "No more is page-locked than was asked for, and nothing stays",
                 "[B55][R-601][R-630]") {
    constexpr std::size_t odd = 21390951;  // 20.4 MiB
    {
        const pinned_buffer<std::byte> one(dev(), odd);
        CHECK(mock.calls("pinned_alloc").back().bytes - odd < page);
    }
    std::vector<std::optional<pinned_buffer<std::byte>>> some(16);
    for (std::size_t i = 0; i < 10000; ++i) {
        auto& one = some[(i * 7) % some.size()];
        if (one) {
            one.reset();
        } else {
            one.emplace(dev(), 1 + (i * 131) % 5000);
        }
    }
    some.clear();
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
}

TEST_CASE_METHOD(fixture, "Sizes near the ends of the number range are refused, not cut",
                 "[B66][B67][R-004][R-206]") {
    mock.forget();
    const auto alone = [&](std::uint64_t count) {
        return thrown([&] { device_vector<double>(dev(), count); });
    };
    CHECK(alone(SPOC_MOST_DEVICE_ELEMENTS + 1) == "invalid_argument length");
    CHECK(alone(std::uint64_t{1} << 61) == "invalid_argument length");
    CHECK(alone(std::uint64_t{1} << 32) == "invalid_argument length");
    CHECK(thrown([&] { vector<double>(std::uint64_t{1} << 61); }) == "invalid_argument length");
    CHECK(mock.records().empty());
    // 16 GiB is a number like others: it is the device that has a limit.
    CHECK(alone(SPOC_MOST_DEVICE_ELEMENTS) == "backend_error too_large");
    vector<std::uint8_t> v(64);
    v.fill(1);
    v.to_device(dev());
    mock.forget();
    std::byte one{};
    for (const std::uint64_t offset : {UINT64_MAX - 3, std::uint64_t{1} << 63, std::uint64_t{64}}) {
        CHECK(told(spoc_vector_read_range, v.get(), offset, static_cast<void*>(&one),
                   std::uint64_t{8}, spoc_stream{nullptr},
                   static_cast<const spoc_owner*>(nullptr)) == "invalid_argument bounds");
    }
    CHECK(told(spoc_vector_read_range, v.get(), std::uint64_t{0}, static_cast<void*>(&one),
               UINT64_MAX, spoc_stream{nullptr},
               static_cast<const spoc_owner*>(nullptr)) == "invalid_argument bounds");
    CHECK(mock.records().empty());
}

namespace {

/// Copies `count` bytes from `from` of one buffer to `to` of another in each way, and looks that
/// nothing beside them changes.
void try_small(buffer& source, buffer& target, std::size_t from, std::size_t to,
               std::size_t count) {
    constexpr std::size_t whole = 320;
    constexpr std::size_t canary = 64;
    const auto data = bytes(whole, static_cast<unsigned>(from + 3 * to + 7 * count));
    const std::vector<std::byte> blank(whole, std::byte{0xC5});
    std::vector<std::byte> wanted = blank;
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(canary + from), count,
                wanted.begin() + static_cast<std::ptrdiff_t>(canary + to));
    std::vector<std::byte> got(whole);
    // Host to device.
    copy_to_device(blank, target);
    copy_to_device(std::span(data).subspan(canary + from, count), target, canary + to);
    copy_to_host(target, 0, got);
    const bool up = got == wanted;
    // Device to device.
    copy_to_device(data, source);
    copy_to_device(blank, target);
    copy_on_device(source, canary + from, target, canary + to, count);
    copy_to_host(target, 0, got);
    const bool across = got == wanted;
    // Device to host.
    got = blank;
    copy_to_host(source, canary + from, std::span(got).subspan(canary + to, count));
    const bool down = got == wanted;
    // Fill.
    copy_to_device(blank, target);
    fill(target, canary + to, count, std::uint8_t{0x3A});
    copy_to_host(target, 0, got);
    std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(canary + to), count, std::byte{0x3A});
    if (!(up && across && down && got == wanted)) {
        CAPTURE(from, to, count, up, across, down);
        FAIL_CHECK("bytes are wrong, or a neighbour changed");
    }
}

}  // namespace

TEST_CASE("Copies and fills are right to the byte wherever they begin and end",
          "[B69][B70][R-307]") {
    recorded_runtime runtime;
    // The second takes so much ordinary memory by itself, and the rest through slots.
    runtime.mock.set_devices(2);
    runtime.mock.device(1).pageable_max = 16;
    runtime.start();
    for (const std::uint32_t which : {0U, 1U}) {
        const device dev(runtime.device(which));
        buffer source(dev, 320);
        buffer target(dev, 320);
        for (std::size_t from = 0; from <= 8; from += 1 + which) {
            for (std::size_t to = 0; to <= 8; to += 1 + which) {
                for (std::size_t count = 0; count <= 33; ++count) {
                    try_small(source, target, from, to, count);
                }
                runtime.mock.forget();
            }
        }
        for (std::size_t count = 34; count <= 180; ++count) {
            try_small(source, target, 1, 3, count);
            runtime.mock.forget();
        }
    }
}

}  // namespace spoc::test
