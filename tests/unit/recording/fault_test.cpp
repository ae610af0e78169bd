// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

using spoc::test::plugin_fixture;

TEST_CASE("the calls that a fault names fail, and no others") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.buffer(4);
    it.mock.fail("fill", SPOC_BE_OUT_OF_MEMORY, 1, 2);
    std::vector<std::int32_t> statuses(4);
    for (std::int32_t& status : statuses) {
        status = it.fill(it.default_stream(), buffer, 4, 0);
    }
    CHECK(statuses == std::vector<std::int32_t>{SPOC_BE_OK, SPOC_BE_OUT_OF_MEMORY,
                                                SPOC_BE_OUT_OF_MEMORY, SPOC_BE_OK});
    CHECK(it.upload(it.default_stream(), buffer, "abcd", 4) == SPOC_BE_OK);
}

TEST_CASE("a fault says what it was given to say") {
    plugin_fixture it;
    it.open();
    auto fault = it.mock.fault("stream_sync", SPOC_BE_TOO_LARGE);
    fault.native_code = -5;
    fault.asked = 7;
    fault.limit = 6;
    fault.message = "Too much was asked for.";
    it.mock.fail(fault);
    CHECK(it.sync(it.default_stream()) == SPOC_BE_TOO_LARGE);
    CHECK(it.error.status == SPOC_BE_TOO_LARGE);
    CHECK(it.error.native_code == -5);
    CHECK(it.error.asked == 7);
    CHECK(it.error.limit == 6);
    CHECK(std::string(it.error.message) == "Too much was asked for.");
    CHECK(std::string(it.error.origin) == "stream_sync");
}

TEST_CASE("a call that fails has done nothing") {
    plugin_fixture it;
    it.open();
    unsigned char byte = 0;
    spoc_be_buffer buffer = it.buffer(1);
    it.fill(it.default_stream(), buffer, 1, 5);
    it.mock.fail("fill");
    CHECK(it.fill(it.default_stream(), buffer, 1, 6) == SPOC_BE_DRIVER);
    it.download(it.default_stream(), buffer, &byte, 1);
    CHECK(byte == 5);
    it.mock.fail("stream_create");
    auto desc = spoc::test::be_sized<spoc_be_stream_desc>();
    spoc_be_stream made = nullptr;
    CHECK(it.be.stream_create(it.device(), &desc, &made, &it.error) == SPOC_BE_DRIVER);
    CHECK(made == nullptr);
    CHECK(it.mock.gate.alive(SPOC_MOCK_STREAMS) == 0);
}

TEST_CASE("an entry that ends an object ends it also when it fails") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.bare_buffer(4);
    it.mock.fail("buffer_destroy");
    CHECK(it.be.buffer_destroy(buffer, &it.error) == SPOC_BE_DRIVER);
    CHECK(it.mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE("a lost device stays lost, and what is on it can be ended") {
    plugin_fixture it;
    it.open(2);
    spoc_be_buffer buffer = it.bare_buffer(4);
    it.mock.fail("copy", SPOC_BE_DEVICE_LOST);
    CHECK(it.upload(it.default_stream(), buffer, "abcd", 4) == SPOC_BE_DEVICE_LOST);
    CHECK(it.fill(it.default_stream(), buffer, 4, 1) == SPOC_BE_DEVICE_LOST);
    CHECK(it.sync(it.default_stream()) == SPOC_BE_DEVICE_LOST);
    CHECK(it.be.buffer_destroy(buffer, &it.error) == SPOC_BE_OK);
    CHECK(it.sync(it.default_stream(1)) == SPOC_BE_OK);
}

TEST_CASE("a batch fails in part: its first ranges are on their way") {
    plugin_fixture it;
    it.open();
    it.mock.hold();
    spoc_be_buffer buffer = it.buffer(3);
    spoc_be_stream stream = it.stream();
    it.fill(stream, buffer, 3, '-');
    it.mock.release();
    auto fault = it.mock.fault("copy");
    fault.ranges = 2;
    it.mock.fail(fault);
    std::string text = "abc";
    CHECK(it.copy(stream, SPOC_BE_COPY_H2D,
                  {it.upload_range(buffer, &text[0], 1, 0), it.upload_range(buffer, &text[1], 1, 1),
                   it.upload_range(buffer, &text[2], 1, 2)}) == SPOC_BE_DRIVER);
    CHECK(it.done == SPOC_BE_DONE_NOTHING);
    text = "ABC";
    CHECK(it.mock.release() == 1);
    it.mock.hold(false);
    std::string back(3, '?');
    CHECK(it.sync(stream) == SPOC_BE_OK);
    it.download(stream, buffer, back.data(), 3);
    CHECK(back == "AB-");
}

TEST_CASE("what *done says can be forced") {
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.buffer(1);
    spoc_be_stream stream = it.stream();
    it.mock.set(SPOC_MOCK_DONE, SPOC_BE_DONE_NOTHING);
    it.upload(stream, buffer, "a", 1);
    CHECK(it.done == SPOC_BE_DONE_NOTHING);
    it.mock.set(SPOC_MOCK_DONE, SPOC_BE_DONE_HOST);
    it.upload(stream, buffer, "a", 1);
    CHECK(it.done == SPOC_BE_DONE_HOST);
    it.upload(stream, buffer, "a", 1, SPOC_BE_WAIT);
    CHECK(it.done == SPOC_BE_DONE_ALL);
    it.sync(stream);
    it.mock.set(SPOC_MOCK_DONE, SPOC_MOCK_DONE_HONEST);
    auto fault = it.mock.fault("copy");
    fault.flags = SPOC_MOCK_FAULT_DONE;
    fault.done = SPOC_BE_DONE_HOST;
    it.mock.fail(fault);
    CHECK(it.upload(stream, buffer, "a", 1) == SPOC_BE_DRIVER);
    CHECK(it.done == SPOC_BE_DONE_HOST);
}

TEST_CASE("a stream whose work was not proved complete is not to be destroyed") {
    const bool proves = GENERATE(true, false);
    plugin_fixture it;
    it.open();
    spoc_be_buffer buffer = it.buffer(1);
    spoc_be_stream stream = it.bare_stream();
    it.mock.set(SPOC_MOCK_DONE, SPOC_BE_DONE_HOST);
    it.fill(stream, buffer, 1, 0);
    if (proves) {
        it.sync(stream);
    }
    it.be.stream_destroy(stream, nullptr);
    CHECK(it.expected_breaches().size() == (proves ? 0 : 1));
}
