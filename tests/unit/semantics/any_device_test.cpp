// SPDX-License-Identifier: Apache-2.0

/// \file
/// Buffers, streams and events on whatever device is at hand.

#include <algorithm>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "any_device_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = any_device;
using block = std::vector<std::byte>;

/// `data` with the bytes from `at` on replaced.
block spliced(block data, std::size_t at, std::span<const std::byte> part) {
    std::copy(part.begin(), part.end(), data.begin() + static_cast<std::ptrdiff_t>(at));
    return data;
}

block part_of(const block& data, std::size_t at, std::size_t count) {
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(at);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

/// Sizes around what pages, staging slots and vector registers are.
std::size_t some_size() {
    return GENERATE(1U, 2U, 3U, 15U, 64U, 255U, 4095U, 4096U, 4097U, 65537U, (1U << 20) + 1,
                    (9U << 20) + 5);
}

}  // namespace

TEST_CASE_METHOD(fixture, "Whatever is copied to a device comes back", "[any-device][R-404]") {
    const block data = bytes(some_size());
    CAPTURE(data.size());
    CHECK(content(filled(data)) == data);
}

TEST_CASE_METHOD(fixture, "What is copied on a stream is there once it was waited for",
                 "[any-device][R-405][R-504]") {
    const block data = bytes(some_size());
    CAPTURE(data.size());
    const stream on(dev());
    const buffer memory(dev(), data.size());
    block back(data.size());
    copy_to_device(on, data, memory);
    copy_to_host(on, memory, 0, back);
    on.synchronize();
    CHECK(back == data);
    CHECK(on.idle());
}

TEST_CASE_METHOD(fixture, "A copy of nothing does nothing, and may begin at the end",
                 "[any-device][R-402]") {
    const stream on(dev());
    const block data = bytes(16);
    const buffer memory = filled(data);
    copy_to_device({}, memory, 16);
    copy_to_host(memory, 16, {});
    copy_to_device(on, {}, memory, 16);
    copy_to_host(on, memory, 16, {});
    copy_on_device(memory, 16, memory, 16, 0);
    fill(memory, 16, 0, std::uint32_t{1});
    on.synchronize();
    CHECK(content(memory) == data);
    CHECK(thrown([&] { copy_to_device({}, memory, 17); }) == "invalid_argument bounds");
    const buffer none(dev(), 0);
    CHECK(content(none).empty());
}

TEST_CASE_METHOD(fixture, "A range beyond the end is refused, and nothing is copied",
                 "[any-device][R-002][R-403]") {
    const stream on(dev());
    const block data = bytes(16);
    const buffer memory = filled(data);
    const block other = bytes(9, 7);
    block back = bytes(9, 9);
    CHECK(thrown([&] { copy_to_device(other, memory, 8); }) == "invalid_argument bounds");
    CHECK(thrown([&] { copy_to_device(on, other, memory, UINT64_MAX); }) ==
          "invalid_argument bounds");
    CHECK(thrown([&] { copy_to_host(memory, 8, back); }) == "invalid_argument bounds");
    CHECK(thrown([&] { copy_to_host(on, memory, UINT64_MAX - 4, back); }) ==
          "invalid_argument bounds");
    CHECK(thrown([&] { fill(memory, 12, 8, std::uint32_t{0}); }) == "invalid_argument bounds");
    on.synchronize();
    CHECK(content(memory) == data);
    CHECK(back == bytes(9, 9));
}

TEST_CASE_METHOD(fixture, "A range goes where it is told, both ways, and touches nothing beside it",
                 "[any-device][R-404]") {
    const std::size_t at = GENERATE(0U, 1U, 3U, 13U, 63U, 4095U);
    const std::size_t count = GENERATE(1U, 7U, 64U, 4097U);
    CAPTURE(at, count);
    const block data = bytes(8192);
    const buffer memory = filled(data);
    const block part = bytes(count, 77);
    copy_to_device(part, memory, at);
    const block wanted = spliced(data, at, part);
    CHECK(content(memory) == wanted);
    block back(count + 2, std::byte{0x5A});
    copy_to_host(memory, at, std::span(back).subspan(1, count));
    CHECK(part_of(back, 1, count) == part);
    CHECK(back.front() == std::byte{0x5A});
    CHECK(back.back() == std::byte{0x5A});
}

TEST_CASE_METHOD(fixture, "Ranges on a stream are in its order", "[any-device][R-405]") {
    const stream on(dev(), GENERATE(0U, SPOC_STREAM_NON_BLOCKING));
    const block data = bytes(8192);
    const block part = bytes(1001, 5);
    const buffer memory(dev(), data.size());
    block before(1001);
    block after(1001);
    copy_to_device(on, data, memory);
    copy_to_host(on, memory, 33, before);
    copy_to_device(on, part, memory, 33);
    copy_to_host(on, memory, 33, after);
    on.synchronize();
    CHECK(before == part_of(data, 33, 1001));
    CHECK(after == part);
    CHECK(content(memory) == spliced(data, 33, part));
}

TEST_CASE_METHOD(fixture, "Bytes move within a device", "[any-device][R-412]") {
    const std::size_t from = GENERATE(0U, 5U, 4096U);
    const std::size_t to = GENERATE(0U, 3U, 2048U);
    const std::size_t count = GENERATE(1U, 129U, 4000U);
    const bool on_stream = GENERATE(false, true);
    CAPTURE(from, to, count, on_stream);
    const block data = bytes(8192);
    const block old = bytes(8192, 99);
    const buffer source = filled(data);
    const buffer target = filled(old);
    if (on_stream) {
        const stream on(dev());
        copy_on_device(on, source, from, target, to, count);
        on.synchronize();
    } else {
        copy_on_device(source, from, target, to, count);
    }
    CHECK(content(target) == spliced(old, to, part_of(data, from, count)));
    CHECK(content(source) == data);
}

TEST_CASE_METHOD(fixture, "Bytes move within a buffer unless their ranges overlap",
                 "[any-device][R-412]") {
    const block data = bytes(300);
    const buffer memory = filled(data);
    CHECK(thrown([&] { copy_on_device(memory, 0, memory, 99, 100); }) ==
          "invalid_argument overlap");
    CHECK(content(memory) == data);
    copy_on_device(memory, 0, memory, 100, 100);
    CHECK(content(memory) == spliced(data, 100, part_of(data, 0, 100)));
}

TEST_CASE_METHOD(fixture, "A fill repeats its pattern, and stays within its range",
                 "[any-device][R-404]") {
    const block data = bytes(4096);
    const buffer memory = filled(data);
    const std::uint16_t two = 0xB2C3;
    const std::uint32_t four = 0xD4E5F607;
    fill(memory, 1, 3, std::uint8_t{0xA1});
    fill(memory, 6, 10, two);
    fill(memory, 1024, 3000, four);
    block wanted = spliced(data, 1, block(3, std::byte{0xA1}));
    for (std::size_t i = 6; i < 16; i += 2) {
        wanted = spliced(wanted, i, std::as_bytes(std::span(&two, 1)));
    }
    for (std::size_t i = 1024; i < 4024; i += 4) {
        wanted = spliced(wanted, i, std::as_bytes(std::span(&four, 1)));
    }
    CHECK(content(memory) == wanted);
}

TEST_CASE_METHOD(fixture, "A fill on a stream is in its order", "[any-device][R-405]") {
    const stream on(dev());
    const block data = bytes(256);
    const buffer memory(dev(), 256);
    block back(256);
    fill(on, memory, 0, 256, std::uint8_t{1});
    copy_to_device(on, data, memory);
    fill(on, memory, 128, 64, std::uint8_t{2});
    copy_to_host(on, memory, 0, back);
    on.synchronize();
    CHECK(back == spliced(data, 128, block(64, std::byte{2})));
}

TEST_CASE_METHOD(fixture, "Work of one stream waits for an event of another one",
                 "[any-device][R-521][R-522]") {
    const stream first(dev(), SPOC_STREAM_NON_BLOCKING);
    const stream second(dev(), SPOC_STREAM_NON_BLOCKING);
    const block data = bytes((2U << 20) + 3);
    const buffer memory(dev(), data.size());
    block back(data.size());
    event written(dev());
    copy_to_device(first, data, memory);
    written.record(first);
    wait(second, written);
    copy_to_host(second, memory, 0, back);
    second.synchronize();
    CHECK(back == data);
    CHECK(written.complete());
    first.synchronize();
}

TEST_CASE_METHOD(fixture, "An event is complete before it is recorded, and after it was waited for",
                 "[any-device][R-520][R-523][R-524]") {
    const stream on(dev());
    event marked(dev());
    CHECK(marked.complete());
    const block data = bytes(5000);
    const buffer memory(dev(), data.size());
    for (int round = 0; round < 3; ++round) {
        copy_to_device(on, data, memory);
        marked.record(on);
        marked.synchronize();
        CHECK(marked.complete());
    }
    on.synchronize();
}

TEST_CASE_METHOD(fixture, "An event that was waited for proves the work before it",
                 "[any-device][R-511][R-524]") {
    const stream on(dev());
    const block data = bytes(5000);
    buffer memory(dev(), data.size());
    kept_alive source;
    event marked(dev());
    copy_to_device(on, data, memory, 0, source.reference());
    marked.record(on);
    marked.synchronize();
    CHECK_FALSE(source.is_kept());
    memory.free();
    CHECK(thrown([&] { copy_to_device(data, memory); }) == "invalid_argument freed");
    memory.free();
}

TEST_CASE_METHOD(fixture, "Time between two events does not run backwards", "[any-device][R-527]") {
    if (!offers(SPOC_BE_CAP_EVENT_TIMING, "event_timing")) {
        return;
    }
    const stream on(dev());
    event start(dev(), true);
    event stop(dev(), true);
    const buffer memory(dev(), 1U << 20);
    start.record(on);
    fill(on, memory, 0, 1U << 20, std::uint32_t{7});
    stop.record(on);
    stop.synchronize();
    CHECK(elapsed(start, stop).count() >= 0);
}

TEST_CASE_METHOD(fixture, "What a copy was lent is given back once its stream was waited for",
                 "[any-device][R-504][R-511]") {
    const stream on(dev());
    const block data = bytes(100);
    const buffer memory(dev(), data.size());
    kept_alive source;
    copy_to_device(on, data, memory, 0, source.reference());
    on.synchronize();
    CHECK_FALSE(source.is_kept());
}

TEST_CASE_METHOD(fixture, "Waiting for the device is waiting for all its streams",
                 "[any-device][R-115]") {
    const block data = bytes(70000);
    std::vector<stream> streams;
    std::vector<buffer> memories;
    std::vector<kept_alive> sources(4);
    std::vector<block> back(4, block(data.size()));
    for (std::size_t i = 0; i < 4; ++i) {
        streams.emplace_back(dev());
        memories.emplace_back(dev(), data.size());
        copy_to_device(streams[i], data, memories[i], 0, sources[i].reference());
        copy_to_host(streams[i], memories[i], 0, back[i]);
    }
    synchronize(dev());
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK_FALSE(sources[i].is_kept());
        CHECK(back[i] == data);
        CHECK(streams[i].idle());
    }
}

TEST_CASE_METHOD(fixture, "All handles on the default stream are one stream",
                 "[any-device][R-503]") {
    const stream one = stream::default_of(dev());
    const stream other = stream::default_of(dev());
    const block data = bytes(3000);
    const buffer memory(dev(), data.size());
    block back(data.size());
    copy_to_device(one, data, memory);
    copy_to_host(other, memory, 0, back);
    one.synchronize();
    CHECK(back == data);
    const block later = bytes(3000, 2);
    copy_to_device(one, later, memory);
    CHECK(content(memory) == later);
}

TEST_CASE_METHOD(fixture, "Handles may be given back while their work is pending",
                 "[any-device][R-225][R-505]") {
    const block data = bytes(1U << 20);
    for (int round = 0; round < 8; ++round) {
        const stream on(dev());
        const buffer memory(dev(), data.size());
        event marked(dev());
        copy_to_device(on, data, memory);
        marked.record(on);
        fill(on, memory, 0, data.size(), std::uint8_t{9});
    }
    synchronize(dev());
    CHECK(content(filled(data)) == data);
}

TEST_CASE_METHOD(fixture, "A closed stream takes no more work", "[any-device][R-505]") {
    stream on(dev());
    const block data = bytes(2000);
    const buffer memory(dev(), data.size());
    copy_to_device(on, data, memory);
    on.close();
    CHECK(content(memory) == data);
    CHECK(thrown([&] { copy_to_device(on, data, memory); }) == "invalid_argument destroyed");
}

TEST_CASE_METHOD(fixture, "Threads use streams of their own at once", "[any-device][R-541]") {
    std::vector<std::string> problems(4);
    std::vector<std::thread> running;
    for (std::size_t number = 0; number < problems.size(); ++number) {
        running.emplace_back([&, number] {
            bool same = true;
            problems[number] = thrown([&] {
                const stream on(dev());
                const buffer memory(dev(), 50000);
                for (unsigned round = 0; round < 20; ++round) {
                    const block data = bytes(50000, round + static_cast<unsigned>(number) * 31);
                    block back(data.size());
                    copy_to_device(on, data, memory);
                    copy_to_host(on, memory, 0, back);
                    on.synchronize();
                    same = same && back == data;
                }
            });
            problems[number] += same ? "" : ", other bytes";
        });
    }
    for (std::thread& one : running) {
        one.join();
    }
    CHECK(problems == std::vector<std::string>(4, "ok"));
}

TEST_CASE_METHOD(fixture, "A stream is of one device alone", "[any-device][R-506]") {
    std::optional<device> other;
    for (const device& one : devices()) {
        if (one != dev()) {
            other.emplace(one);
        }
    }
    if (!other) {
        skips().add("there is no second device");
        return;
    }
    const stream elsewhere(*other);
    const block data = bytes(10);
    const buffer memory = filled(data);
    event marked(dev());
    CHECK(thrown([&] { copy_to_device(elsewhere, bytes(10, 3), memory); }) ==
          "invalid_argument device");
    CHECK(thrown([&] { marked.record(elsewhere); }) == "invalid_argument device");
    CHECK(content(memory) == data);
}

}  // namespace spoc::test
