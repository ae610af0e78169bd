// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

using spoc::test::be_sized;
using spoc::test::plugin_fixture;

namespace {

std::int32_t fill_one(plugin_fixture& it, spoc_be_stream stream, spoc_be_buffer buffer) {
    auto request = be_sized<spoc_be_fill>();
    request.buffer = buffer;
    request.bytes = 4;
    request.pattern_size = 1;
    std::uint32_t done = 0;
    return it.be.fill(stream, &request, &done, nullptr);
}

}  // namespace

TEST_CASE("threads with a stream each work at once, held or not, quiet or not") {
    const auto [hold, quiet] = GENERATE(table<int, int>({{0, 0}, {1, 0}, {0, 1}}));
    plugin_fixture it;
    it.open();
    it.mock.set(SPOC_MOCK_HOLD, static_cast<std::uint64_t>(hold));
    it.mock.set(SPOC_MOCK_QUIET, static_cast<std::uint64_t>(quiet));
    constexpr int thread_count = 4;
    constexpr int rounds = 200;
    std::vector<spoc_be_stream> streams;
    std::vector<spoc_be_buffer> buffers;
    for (int i = 0; i < thread_count; ++i) {
        streams.push_back(it.stream());
        buffers.push_back(it.buffer(4));
    }
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < thread_count; ++i) {
        threads.emplace_back([&, i] {
            for (int round = 0; round < rounds; ++round) {
                failures += fill_one(it, streams[i], buffers[i]) == SPOC_BE_OK ? 0 : 1;
                failures +=
                    it.be.stream_sync(streams[i], SPOC_BE_FOREVER, nullptr) == SPOC_BE_OK ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(failures == 0);
    CHECK(it.mock.count("fill") == (quiet != 0 ? 0 : thread_count * rounds));
    it.mock.set(SPOC_MOCK_QUIET, 0);
}

TEST_CASE("many blocked waits are let go by one thread that releases") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    it.mock.on_wait(SPOC_MOCK_WAIT_BLOCK);
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream first = it.stream();
    spoc_be_event event = it.event();
    fill_one(it, first, buffer);
    it.be.event_record(event, first, nullptr);
    std::vector<std::thread> threads(3);
    std::atomic<int> woken{0};
    for (std::thread& thread : threads) {
        thread = std::thread([&] {
            woken += it.be.event_sync(event, SPOC_BE_FOREVER, nullptr) == SPOC_BE_OK ? 1 : 0;
        });
    }
    it.mock.gate.await_waiters(3);
    CHECK(woken == 0);
    CHECK(it.mock.release() == 2);
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(woken == 3);
}
