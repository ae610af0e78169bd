// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

using spoc::test::plugin_fixture;

TEST_CASE("calls are counted and written down in order, with what they name") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.buffer(16);
    const std::uint64_t number = it.mock.calls("buffer_create").back().dst;
    it.mock.forget();
    const std::string text = "abcd";
    it.copy(it.default_stream(), SPOC_BE_COPY_H2D, {it.upload_range(buffer, text.data(), 4, 8)},
            SPOC_BE_CONSUME_HOST);
    it.sync(it.default_stream(), 9);
    const auto records = it.mock.records();
    REQUIRE(records.size() == 2);
    CHECK(it.mock.count("copy") == 1);
    CHECK(it.mock.count("fill") == 0);
    const spoc_mock_call& copy = records[0];
    CHECK(copy.entry == spoc_mock_entry_copy);
    CHECK(copy.status == SPOC_BE_OK);
    CHECK(copy.device == 0);
    CHECK(copy.kind == SPOC_BE_COPY_H2D);
    CHECK(copy.flags == SPOC_BE_CONSUME_HOST);
    CHECK(copy.stream == it.number(it.default_stream()));
    CHECK(copy.dst == number);
    CHECK(copy.dst_offset == 8);
    CHECK(copy.bytes == 4);
    CHECK(copy.host == text.data());
    CHECK(copy.hostmem == 0);
    CHECK(copy.done == SPOC_BE_DONE_ALL);
    CHECK(records[1].entry == spoc_mock_entry_stream_sync);
    CHECK(records[1].timeout_ns == 9);
}

TEST_CASE("a batch has a record for each range and counts once") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.buffer(16);
    it.mock.forget();
    it.copy(it.default_stream(), SPOC_BE_COPY_H2D,
            {it.upload_range(buffer, "a", 1, 3), it.upload_range(buffer, "bc", 2, 7)});
    const auto ranges = it.mock.calls("copy");
    REQUIRE(ranges.size() == 2);
    CHECK(it.mock.count("copy") == 1);
    CHECK(ranges[0].number == ranges[1].number);
    CHECK(ranges[1].range == 1);
    CHECK(ranges[1].count == 2);
    CHECK(ranges[1].dst_offset == 7);
    CHECK(ranges[1].bytes == 2);
    CHECK(ranges[1].status == SPOC_BE_OK);
}

TEST_CASE("the hook is called at the beginning of each entry") {
    plugin_fixture it;
    it.open();
    std::vector<std::uint32_t> seen;
    it.mock.gate.set_hook(
        [](void* ctx, std::uint32_t entry) {
            static_cast<std::vector<std::uint32_t>*>(ctx)->push_back(entry);
        },
        &seen);
    it.sync(it.default_stream());
    it.mock.gate.set_hook(nullptr, nullptr);
    it.sync(it.default_stream());
    CHECK(seen == std::vector<std::uint32_t>{spoc_mock_entry_stream_sync});
}

TEST_CASE("handles are recycled when that is switched on, and their numbers never") {
    const bool recycles = GENERATE(false, true);
    plugin_fixture it;
    it.open();
    it.mock.set(SPOC_MOCK_RECYCLES, recycles ? 1 : 0);
    spoc_be_stream first = it.bare_stream();
    const std::uint64_t number = it.number(first);
    it.be.stream_destroy(first, nullptr);
    spoc_be_stream second = it.stream();
    CHECK((first == second) == recycles);
    CHECK(it.number(second) != number);
    spoc_be_buffer buffer = it.bare_buffer(4);
    it.be.buffer_destroy(buffer, nullptr);
    CHECK((it.buffer(8) == buffer) == recycles);
    spoc_be_event event = nullptr;
    it.be.event_create(it.device(), 0, &event, nullptr);
    it.be.event_destroy(event, nullptr);
    CHECK((it.event() == event) == recycles);
}

TEST_CASE("a use after the end is a breach") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.bare_buffer(4);
    it.be.buffer_destroy(buffer, nullptr);
    CHECK(it.fill(it.default_stream(), buffer, 4, 1) == SPOC_BE_INVALID);
    CHECK(it.be.buffer_destroy(buffer, nullptr) == SPOC_BE_INVALID);
    CHECK(it.expected_breaches().size() == 2);
}

TEST_CASE("a range beyond its buffer is a breach, and nothing is written") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.buffer(4);
    CHECK(it.copy(it.default_stream(), SPOC_BE_COPY_H2D, {it.upload_range(buffer, "abcd", 4, 1)}) ==
          SPOC_BE_INVALID);
    CHECK(it.expected_breaches().size() == 1);
}

TEST_CASE("more ordinary memory than the device takes is a breach") {
    plugin_fixture it;
    it.mock.device().pageable_max = 4;
    it.mock.device().inline_write = 6;
    it.open();
    spoc_be_buffer buffer = it.buffer(8);
    CHECK(it.upload(it.default_stream(), buffer, "abcd", 4) == SPOC_BE_OK);
    CHECK(it.upload(it.default_stream(), buffer, "abcdef", 6, SPOC_BE_CONSUME_HOST) == SPOC_BE_OK);
    CHECK(it.mock.breaches().empty());
    CHECK(it.upload(it.default_stream(), buffer, "abcde", 5) == SPOC_BE_INVALID);
    CHECK(it.expected_breaches().size() == 1);
}

TEST_CASE("two calls at once that name one stream are a breach") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    it.mock.on_wait(SPOC_MOCK_WAIT_BLOCK);
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream stream = it.stream();
    it.fill(stream, buffer, 4, 1);
    char bytes[4] = {};
    std::thread waiting([&] {
        plugin_fixture* const same = &it;
        auto request = spoc::test::be_sized<spoc_be_copy>();
        spoc_be_range range{};
        range.src = buffer;
        range.host = bytes;
        range.bytes = 4;
        request.kind = SPOC_BE_COPY_D2H;
        request.flags = SPOC_BE_WAIT;
        request.count = 1;
        request.ranges = &range;
        std::uint32_t done = 0;
        same->be.copy(stream, &request, &done, nullptr);
    });
    it.mock.gate.await_waiters(1);
    CHECK(it.fill(stream, buffer, 4, 2) == SPOC_BE_INVALID);
    it.mock.release();
    waiting.join();
    CHECK(it.expected_breaches().size() == 1);
}

TEST_CASE("what is alive at the close is counted") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.bare_buffer(4);
    it.close();
    CHECK(it.mock.gate.left_at_close() == 1);
    CHECK(it.mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    CHECK(it.expected_breaches().size() == 1);
    it.mock.gate.reset();
    CHECK(it.mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
    static_cast<void>(buffer);
}

TEST_CASE("reset forgets everything") {
    plugin_fixture it;
    it.mock.set_devices(3);
    it.mock.device().pageable_max = 0;
    it.mock.hold();
    it.mock.fail("probe", SPOC_BE_DRIVER);
    it.mock.gate.reset();
    CHECK(it.mock.gate.get(SPOC_MOCK_HOLD) == 0);
    CHECK(it.mock.device().pageable_max == SPOC_BE_NO_LIMIT);
    auto report = spoc::test::be_sized<spoc_be_probe_report>();
    CHECK(it.be.probe(&it.host.services, SPOC_BE_PROBE_PASSIVE, &report, &it.error) == SPOC_BE_OK);
    CHECK(it.mock.records().size() == 1);
}

TEST_CASE("quiet calls are not written down and still work") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.buffer(4);
    it.mock.forget();
    it.mock.set(SPOC_MOCK_QUIET, 1);
    it.mock.fail("copy");
    std::string back(4, '-');
    CHECK(it.upload(it.default_stream(), buffer, "abcd", 4) == SPOC_BE_OK);
    CHECK(it.download(it.default_stream(), buffer, back.data(), 4) == SPOC_BE_OK);
    CHECK(it.sync(it.default_stream()) == SPOC_BE_OK);
    CHECK(back == "abcd");
    CHECK(it.mock.records().empty());
    it.mock.set(SPOC_MOCK_QUIET, 0);
}
