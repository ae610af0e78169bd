// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

using spoc::test::plugin_fixture;

TEST_CASE("work that is not held runs in its call") {
    plugin_fixture it;
    it.open();
    const std::string text = "abcdef";
    spoc_be_buffer buffer = it.buffer(6);
    CHECK(it.upload(it.default_stream(), buffer, text.data(), 6) == SPOC_BE_OK);
    CHECK(it.done == SPOC_BE_DONE_ALL);
    CHECK(it.mock.pending() == 0);
    std::string back(6, '-');
    CHECK(it.download(it.default_stream(), buffer, back.data(), 6) == SPOC_BE_OK);
    CHECK(back == text);
}

TEST_CASE("held copies read and write when they are released, in their stream's order") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    std::string text = "first";
    std::string back = "-----";
    spoc_be_buffer buffer = it.buffer(5);
    spoc_be_stream stream = it.stream();
    CHECK(it.upload(stream, buffer, text.data(), 5) == SPOC_BE_OK);
    CHECK(it.done == SPOC_BE_DONE_NOTHING);
    CHECK(it.download(stream, buffer, back.data(), 5) == SPOC_BE_OK);
    CHECK(it.mock.pending() == 2);
    text = "other";
    CHECK(it.mock.release(1) == 1);
    text = "third";
    CHECK(back == "-----");
    CHECK(it.mock.release(5) == 1);
    CHECK(back == "other");
}

TEST_CASE("streams are released in any order") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    spoc_be_buffer buffer = it.buffer(1);
    spoc_be_stream first = it.stream();
    spoc_be_stream second = it.stream();
    it.fill(first, buffer, 1, 1);
    it.fill(second, buffer, 1, 2);
    CHECK(it.mock.pending(it.number(first)) == 1);
    CHECK(it.mock.release(1, it.number(second)) == 1);
    CHECK(it.mock.pending(it.number(first)) == 1);
    CHECK(it.mock.pending(it.number(second)) == 0);
    CHECK(it.mock.release(1, it.number(first)) == 1);
    it.mock.hold(false);
    unsigned char byte = 0;
    it.download(it.default_stream(), buffer, &byte, 1);
    CHECK(byte == 1);
}

TEST_CASE("a wait holds its stream until the recording that it captured") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream first = it.stream();
    spoc_be_stream second = it.stream();
    spoc_be_event event = it.event();
    it.fill(first, buffer, 4, 1);
    CHECK(it.be.event_record(event, first, &it.error) == SPOC_BE_OK);
    CHECK(it.be.stream_wait(second, event, &it.error) == SPOC_BE_OK);
    it.fill(second, buffer, 4, 2);
    // A later recording does not move the wait.
    it.fill(first, buffer, 4, 3);
    CHECK(it.be.event_record(event, first, &it.error) == SPOC_BE_OK);
    CHECK(it.mock.release(9, it.number(second)) == 0);
    CHECK(it.mock.release(2, it.number(first)) == 2);
    CHECK(it.mock.release(9, it.number(second)) == 2);
    CHECK(it.be.event_query(event, &it.error) == SPOC_BE_NOT_READY);
    CHECK(it.mock.release(9, it.number(first)) == 2);
    CHECK(it.be.event_query(event, &it.error) == SPOC_BE_OK);
}

TEST_CASE("a blocking stream and the default stream are ordered, a non-blocking one is not") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream blocking = it.stream(0);
    spoc_be_stream independent = it.stream();
    it.fill(it.default_stream(), buffer, 4, 1);
    it.fill(blocking, buffer, 4, 2);
    it.fill(independent, buffer, 4, 3);
    CHECK(it.mock.release(1, it.number(blocking)) == 0);
    CHECK(it.mock.release(1, it.number(independent)) == 1);
    CHECK(it.mock.release(1, it.number(it.default_stream())) == 1);
    CHECK(it.mock.release(1, it.number(blocking)) == 1);
}

TEST_CASE("what is consumed may change at once, and its copy is held all the same") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    std::string text = "right";
    spoc_be_buffer buffer = it.buffer(5);
    spoc_be_stream stream = it.stream();
    it.upload(stream, buffer, text.data(), 5, SPOC_BE_CONSUME_HOST);
    CHECK(it.done == SPOC_BE_DONE_HOST);
    text = "wrong";
    it.mock.hold(false);
    std::string back(5, '-');
    it.download(stream, buffer, back.data(), 5);
    CHECK(back == "right");
}

TEST_CASE("where copies are not enqueued they are complete on return") {
    plugin_fixture it;
    it.mock.set_capability(SPOC_BE_CAP_COPY_ENQUEUED, SPOC_MOCK_NO);
    it.open();
    it.mock.hold();
    spoc_be_buffer buffer = it.buffer(5);
    CHECK(it.upload(it.default_stream(), buffer, "abcde", 5) == SPOC_BE_OK);
    CHECK(it.done == SPOC_BE_DONE_ALL);
    CHECK(it.mock.pending() == 0);
}

TEST_CASE("RUN runs what a wait needs, other streams' work too, and no more") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream first = it.stream();
    spoc_be_stream second = it.stream();
    spoc_be_event event = it.event();
    it.fill(first, buffer, 4, 1);
    it.be.event_record(event, first, &it.error);
    it.fill(first, buffer, 4, 2);
    it.be.stream_wait(second, event, &it.error);
    CHECK(it.sync(second) == SPOC_BE_OK);
    CHECK(it.mock.pending(it.number(first)) == 1);
    CHECK(it.mock.pending(it.number(second)) == 0);
    CHECK(it.sync(first) == SPOC_BE_OK);
}

TEST_CASE("FAIL answers where a call would have waited, and a poll does not wait") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    it.mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream stream = it.stream();
    spoc_be_event event = it.event();
    CHECK(it.sync(stream) == SPOC_BE_OK);
    it.fill(stream, buffer, 4, 1);
    it.be.event_record(event, stream, &it.error);
    CHECK(it.sync(stream) == SPOC_BE_DRIVER);
    CHECK(it.error.native_code == SPOC_MOCK_WOULD_WAIT);
    CHECK(it.sync(stream, SPOC_BE_NO_WAIT) == SPOC_BE_NOT_READY);
    CHECK(it.be.stream_query(stream, &it.error) == SPOC_BE_NOT_READY);
    CHECK(it.be.event_sync(event, SPOC_BE_FOREVER, &it.error) == SPOC_BE_DRIVER);
    CHECK(it.be.event_query(event, &it.error) == SPOC_BE_NOT_READY);
    CHECK(it.be.buffer_wait(buffer, SPOC_BE_ACCESS_READ, SPOC_BE_FOREVER, &it.error) ==
          SPOC_BE_DRIVER);
    char bytes[4] = {};
    CHECK(it.download(stream, buffer, bytes, 4, SPOC_BE_WAIT) == SPOC_BE_DRIVER);
    CHECK(it.mock.pending() == 2);
}

TEST_CASE("BLOCK waits until another thread releases") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    it.mock.on_wait(SPOC_MOCK_WAIT_BLOCK);
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream stream = it.stream();
    it.fill(stream, buffer, 4, 1);
    std::int32_t status = 77;
    std::thread waiting([&] { status = it.sync(stream); });
    it.mock.gate.await_waiters(1);
    CHECK(it.mock.calls("stream_sync").back().status == SPOC_MOCK_IN_PROGRESS);
    CHECK(it.mock.release() == 1);
    waiting.join();
    CHECK(status == SPOC_BE_OK);
    CHECK(it.mock.calls("stream_sync").back().status == SPOC_BE_OK);
}

TEST_CASE("a loss ends a blocked wait") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    it.mock.on_wait(SPOC_MOCK_WAIT_BLOCK);
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream stream = it.stream();
    it.fill(stream, buffer, 4, 1);
    std::int32_t status = 77;
    std::thread waiting([&] { status = it.sync(stream); });
    it.mock.gate.await_waiters(1);
    it.mock.gate.lose(0);
    waiting.join();
    CHECK(status == SPOC_BE_DEVICE_LOST);
    CHECK(it.mock.release() == 0);
}

TEST_CASE("waiting for a buffer minds who reads and who writes") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    it.mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_buffer other = it.buffer(4);
    spoc_be_stream stream = it.stream();
    char bytes[4] = {};
    it.download(stream, buffer, bytes, 4);
    const auto wait = [&](spoc_be_buffer one, std::uint32_t access) {
        return it.be.buffer_wait(one, access, SPOC_BE_FOREVER, &it.error);
    };
    CHECK(wait(buffer, SPOC_BE_ACCESS_READ) == SPOC_BE_OK);
    CHECK(wait(buffer, SPOC_BE_ACCESS_WRITE) == SPOC_BE_DRIVER);
    CHECK(wait(other, SPOC_BE_ACCESS_WRITE) == SPOC_BE_OK);
}

TEST_CASE("held work that uses a destroyed buffer is noticed, unless buffers are kept") {
    const bool keeps = GENERATE(false, true);
    plugin_fixture it;
    it.open();
    it.mock.hold();
    it.mock.set(SPOC_MOCK_KEEPS_BUFFERS, keeps ? 1 : 0);
    spoc_be_buffer buffer = it.bare_buffer(4);
    spoc_be_stream stream = it.stream();
    it.fill(stream, buffer, 4, 1);
    it.be.buffer_destroy(buffer, nullptr);
    CHECK(it.mock.release() == 1);
    CHECK(it.expected_breaches().size() == (keeps ? 0 : 1));
}
