// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;
using bytes = std::vector<std::byte>;

answer to_device(const void* source, std::uint64_t count, spoc_buffer destination,
                 std::uint64_t at) {
    return ask(spoc_copy_to_device, source, count, destination, at);
}

answer to_host(spoc_buffer source, std::uint64_t at, void* destination, std::uint64_t count) {
    return ask(spoc_copy_to_host, source, at, destination, count);
}

answer on_device(spoc_buffer source, std::uint64_t source_at, spoc_buffer destination,
                 std::uint64_t destination_at, std::uint64_t count) {
    return ask(spoc_copy_on_device, source, source_at, destination, destination_at, count);
}

answer fill(spoc_buffer destination, std::uint64_t at, std::uint64_t count, std::uint32_t value,
            std::uint32_t size) {
    return ask(spoc_fill, destination, at, count, value, size);
}

fault failing(std::string_view entry, std::int32_t status = SPOC_BE_DRIVER) {
    fault made;
    made.entry = entry;
    made.status = status;
    return made;
}

}  // namespace

TEST_CASE_METHOD(device_fixture,
                 "Ranges are copied to the byte and nothing beside them is touched") {
    const spoc_buffer target = begin_with_buffer(257);
    bytes expected = pattern(257, 9);
    upload(target, expected);
    const bytes part = pattern(100, 50);
    CHECK(to_device(part.data(), 99, target, 7).text() == "ok");
    std::copy_n(part.begin(), 99, expected.begin() + 7);
    CHECK(contents(target) == expected);
    bytes back(12, std::byte{0xEE});
    CHECK(to_host(target, 5, back.data() + 1, 10).text() == "ok");
    CHECK(back.front() == std::byte{0xEE});
    CHECK(back.back() == std::byte{0xEE});
    CHECK(std::equal(back.begin() + 1, back.end() - 1, expected.begin() + 5));
}

TEST_CASE_METHOD(device_fixture, "Ranges are copied within a buffer and between two") {
    const spoc_buffer first = begin_with_buffer(64);
    const spoc_buffer second = buffer(device, 32);
    bytes expected = pattern(64);
    upload(first, expected);
    rec.forget();
    CHECK(on_device(first, 0, first, 32, 32).text() == "ok");  // they touch and do not overlap
    CHECK(on_device(first, 32, first, 0, 32).text() == "ok");
    CHECK(on_device(first, 63, first, 0, 1).text() == "ok");
    CHECK(on_device(first, 1, second, 2, 30).text() == "ok");
    CHECK(rec.entries() == strings{"copy", "copy", "copy", "copy"});
    CHECK(rec.calls("copy")[3].kind == SPOC_BE_COPY_D2D);
    std::copy_n(expected.begin(), 32, expected.begin() + 32);
    expected[0] = expected[63];
    CHECK(contents(first) == expected);
    const bytes copied = contents(second);
    CHECK(std::equal(copied.begin() + 2, copied.end(), expected.begin() + 1));
    CHECK(copied[1] == std::byte{0});
}

TEST_CASE_METHOD(device_fixture, "A fill repeats the low bytes of its pattern") {
    const spoc_buffer target = begin_with_buffer(16);
    CHECK(fill(target, 0, 16, 0xAABBCC11U, 1).text() == "ok");
    CHECK(fill(target, 2, 4, 0xAABB2233U, 2).text() == "ok");
    CHECK(fill(target, 8, 8, 0x01020304U, 4).text() == "ok");
    constexpr std::array<unsigned char, 16> expected = {
        0x11, 0x11, 0x33, 0x22, 0x33, 0x22, 0x11, 0x11, 4, 3, 2, 1, 4, 3, 2, 1};
    const bytes got = contents(target);
    CHECK(std::memcmp(got.data(), expected.data(), expected.size()) == 0);
}

TEST_CASE_METHOD(device_fixture, "Every copy and fill asks the plugin to wait") {
    const spoc_buffer target = begin_with_buffer(64);
    upload(target, pattern(64));
    contents(target);
    CHECK(on_device(target, 0, target, 32, 8).text() == "ok");
    CHECK(fill(target, 0, 8, 0, 1).text() == "ok");
    for (const recorded_call& call : rec.calls("copy")) {
        CHECK(call.flags == SPOC_BE_WAIT);
    }
    CHECK(rec.calls("fill")[0].flags == SPOC_BE_WAIT);
}

TEST_CASE_METHOD(device_fixture, "A range beyond a buffer is refused whatever its sum",
                 "[R-004][R-307]") {
    const spoc_buffer target = begin_with_buffer(64);
    const spoc_buffer other = buffer(device, 1000);
    rec.forget();
    bytes host(2000);
    struct range {
        std::uint64_t offset;
        std::uint64_t count;
    };
    const auto one = GENERATE(range{0, 65}, range{1, 64}, range{63, 2}, range{64, 1}, range{65, 0},
                              range{SIZE_MAX, 2}, range{SIZE_MAX, 0}, range{SIZE_MAX, SIZE_MAX},
                              range{2, SIZE_MAX - 1}, range{0, SIZE_MAX});
    for (const answer& refused : {to_device(host.data(), one.count, target, one.offset),
                                  to_host(target, one.offset, host.data(), one.count),
                                  on_device(target, one.offset, other, 0, one.count),
                                  on_device(other, 0, target, one.offset, one.count),
                                  fill(target, one.offset, one.count, 0, 1)}) {
        CHECK(refused.text() == "invalid_argument bounds");
    }
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "A refused range says what was asked and what is there") {
    const spoc_buffer target = begin_with_buffer(64);
    const answer refused = fill(target, 60, 5, 0, 1);
    CHECK(refused.error.asked == 5);
    CHECK(refused.error.limit == 4);
    CHECK(contains(refused.message(), "60"));
    CHECK(contains(refused.message(), "64"));
}

TEST_CASE_METHOD(device_fixture,
                 "The last byte of a buffer can be reached, and its end with nothing") {
    const spoc_buffer target = begin_with_buffer(64);
    std::byte one{0x42};
    CHECK(to_device(&one, 1, target, 63).text() == "ok");
    CHECK(to_device(&one, 0, target, 64).text() == "ok");
    CHECK(fill(target, 64, 0, 0, 4).text() == "ok");
    CHECK(contents(target)[63] == std::byte{0x42});
}

TEST_CASE_METHOD(device_fixture, "Ranges of one buffer that overlap are refused", "[R-412]") {
    const spoc_buffer target = begin_with_buffer(64);
    struct pair {
        std::uint64_t from;
        std::uint64_t to;
        std::uint64_t count;
    };
    const auto one = GENERATE(pair{0, 0, 1}, pair{0, 0, 64}, pair{0, 31, 32}, pair{31, 0, 32},
                              pair{10, 12, 3}, pair{63, 63, 1});
    CHECK(on_device(target, one.from, target, one.to, one.count).text() ==
          "invalid_argument overlap");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "Nothing overlaps nothing") {
    const spoc_buffer target = begin_with_buffer(64);
    CHECK(on_device(target, 5, target, 5, 0).text() == "ok");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "A pattern of no size, or a range that splits one, is refused") {
    const spoc_buffer target = begin_with_buffer(64);
    for (const std::uint32_t size : {0U, 3U, 5U, 8U, SPOC_BE_UNKNOWN_32}) {
        CHECK(fill(target, 0, 8, 0, size).text() == "invalid_argument value");
    }
    CHECK(fill(target, 1, 8, 0, 2).text() == "invalid_argument length");
    CHECK(fill(target, 2, 8, 0, 4).text() == "invalid_argument length");
    CHECK(fill(target, 0, 7, 0, 2).text() == "invalid_argument length");
    CHECK(fill(target, 0, 6, 0, 4).text() == "invalid_argument length");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(runtime_fixture, "A copy between two backends is refused before any call",
                 "[R-412]") {
    recorder& first = add("aa");
    recorder& second = add("bb");
    start();
    const spoc_buffer one = buffer(device_at(0), 64);
    const spoc_buffer two = buffer(device_at(1), 64);
    first.forget();
    second.forget();
    CHECK(on_device(one, 0, two, 0, 8).text() == "invalid_argument device");
    CHECK(on_device(one, 0, two, 0, 0).text() == "invalid_argument device");
    CHECK(first.entries() == strings{});
    CHECK(second.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "Devices of one backend copy where the driver says so",
                 "[R-412]") {
    rec.devices.resize(2, rec.devices[0]);
    begin();
    const spoc_buffer source = buffer(device, 64);
    const spoc_buffer target = buffer(device_at(1), 64);
    const bytes data = pattern(64);
    upload(source, data);
    rec.forget();
    CHECK(on_device(source, 4, target, 2, 60).text() == "ok");
    // What was enqueued on the source's stream is done before the copy runs on another's.
    CHECK(rec.entries() == strings{"peer_query", "stream_sync", "copy"});
    const recorded_call asked = rec.calls("peer_query")[0];
    CHECK(asked.src_offset == 0);  // the source is device 0
    CHECK(asked.dst_offset == 1);
    CHECK(rec.calls("copy")[0].kind == SPOC_BE_COPY_PEER);
    const bytes copied = contents(target);
    CHECK(std::equal(copied.begin() + 2, copied.begin() + 62, data.begin() + 4));
}

TEST_CASE_METHOD(device_fixture,
                 "Where the driver does not copy between devices, nothing is done instead",
                 "[R-001][R-412]") {
    rec.devices.resize(2, rec.devices[0]);
    SECTION("the driver says no") { rec.peer = SPOC_BE_PEER_DIRECT | SPOC_BE_PEER_EVENTS; }
    SECTION("the device does not offer it") {
        set_capability(rec.devices[1], SPOC_BE_CAP_PEER_COPY, false);
    }
    SECTION("whether the device offers it is not known") {
        set_known(rec.devices[1], SPOC_BE_CAP_PEER_COPY, false);
    }
    begin();
    const spoc_buffer source = buffer(device, 64);
    const spoc_buffer target = buffer(device_at(1), 64);
    rec.forget();
    const answer refused = on_device(source, 0, target, 0, 64);
    CHECK(refused.text() == "feature_not_supported none");
    CHECK(std::string(refused.error.backend) == "rec");
    CHECK(refused.error.device == 1);
    CHECK(rec.count("copy") == 0);
    CHECK(rec.count("fill") == 0);
    CHECK(rec.count("pinned_alloc") == 0);
    CHECK(rec.count("stream_sync") == 0);
}

TEST_CASE_METHOD(device_fixture,
                 "What stops a copy between devices is reported, and no copy follows") {
    rec.devices.resize(2, rec.devices[0]);
    begin();
    const spoc_buffer source = buffer(device, 64);
    const spoc_buffer target = buffer(device_at(1), 64);
    rec.forget();
    SECTION("the query fails") {
        rec.faults.push_back(failing("peer_query"));
        CHECK(on_device(source, 0, target, 0, 64).text() == "backend_error copy_failed");
    }
    SECTION("the source's stream fails") {
        rec.faults.push_back(failing("stream_sync"));
        const answer failed = on_device(source, 0, target, 0, 64);
        CHECK(failed.text() == "backend_error sync_failed");
        CHECK(failed.error.device == 0);
    }
    CHECK(rec.count("copy") == 0);
}

TEST_CASE_METHOD(device_fixture, "Work that is not done is waited for before the call returns") {
    const spoc_buffer target = begin_with_buffer(64);
    rec.done = GENERATE(SPOC_BE_DONE_NOTHING, SPOC_BE_DONE_HOST);
    const bool fails = GENERATE(false, true);
    bytes host = pattern(64);
    const auto check = [&](const std::string& entry, const auto& call) {
        rec.forget();
        if (fails) {
            rec.faults = {failing(entry)};
        }
        CHECK(call().text() == (fails ? "backend_error copy_failed" : "ok"));
        CHECK(rec.entries() == strings{entry, "stream_sync"});
        CHECK(rec.calls("stream_sync")[0].timeout_ns == SPOC_BE_FOREVER);
        CHECK(rec.unfinished == 0);
    };
    check("copy", [&] { return to_device(host.data(), 64, target, 0); });
    check("copy", [&] { return to_host(target, 0, host.data(), 64); });
    check("copy", [&] { return on_device(target, 0, target, 32, 32); });
    check("fill", [&] { return fill(target, 0, 64, 0, 4); });
    rec.done = SPOC_BE_DONE_ALL;
}

TEST_CASE_METHOD(device_fixture, "Work that was not done and whose wait fails is a failure") {
    const spoc_buffer target = begin_with_buffer(64);
    rec.done = SPOC_BE_DONE_NOTHING;
    rec.faults = {failing("stream_sync"), failing("stream_sync")};
    bytes host = pattern(64);
    CHECK(to_device(host.data(), 64, target, 0).status == SPOC_BACKEND_ERROR);
    CHECK(fill(target, 0, 64, 0, 4).status == SPOC_BACKEND_ERROR);
    rec.done = SPOC_BE_DONE_ALL;
}

TEST_CASE_METHOD(device_fixture, "Work that is done is not waited for again") {
    const spoc_buffer target = begin_with_buffer(64);
    rec.faults = {failing("copy"), failing("fill")};
    CHECK(on_device(target, 0, target, 32, 8).text() == "backend_error copy_failed");
    CHECK(fill(target, 0, 8, 0, 1).text() == "backend_error copy_failed");
    CHECK(rec.entries() == strings{"copy", "fill"});
}

TEST_CASE_METHOD(device_fixture, "A failed copy says backend, device, call and the driver's number",
                 "[R-116]") {
    const spoc_buffer target = begin_with_buffer(64);
    fault broken = failing("copy", SPOC_BE_DRIVER);
    broken.native_code = -4711;
    broken.message = "The engine stopped.";
    rec.faults.push_back(broken);
    const answer failed = on_device(target, 0, target, 32, 8);
    CHECK(failed.text() == "backend_error copy_failed");
    CHECK(failed.error.backend_status == SPOC_BE_DRIVER);
    CHECK(failed.error.native_code == -4711);
    CHECK(std::string(failed.error.native_domain) == "RecorderResult");
    CHECK(std::string(failed.error.native_call) == "copy");
    CHECK(std::string(failed.error.backend) == "rec");
    CHECK(failed.error.device == 0);
    CHECK(std::string(failed.error.operation) == "spoc_copy_on_device");
    CHECK(failed.message() == "The engine stopped.");
    CHECK(failed.error.reason == SPOC_BE_REASON_NONE);
}

TEST_CASE_METHOD(device_fixture, "A device's health is what its driver says of it") {
    begin_with_buffer(64);
    std::uint32_t health = SPOC_HEALTH_LOST;
    CHECK(told(spoc_device_health, device, &health) == "ok");
    CHECK(health == SPOC_HEALTH_GOOD);
    rec.faults.push_back(failing("stream_query", SPOC_BE_INTERNAL));
    CHECK(told(spoc_device_health, device, &health) == "internal_error none");
    CHECK(health == SPOC_HEALTH_GOOD);
    rec.faults.push_back(failing("stream_query", SPOC_BE_DEVICE_LOST));
    CHECK(told(spoc_device_health, device, &health) == "ok");
    CHECK(health == SPOC_HEALTH_LOST);
}

TEST_CASE_METHOD(device_fixture, "A lost device stays lost, and its driver is left alone") {
    const spoc_buffer target = begin_with_buffer(64);
    fault lost = failing("copy", SPOC_BE_DEVICE_LOST);
    rec.faults.push_back(lost);
    bytes host(64);
    CHECK(to_device(host.data(), 64, target, 0).text() == "backend_error device_lost");
    rec.forget();
    CHECK(to_device(host.data(), 64, target, 0).text() == "backend_error device_lost");
    CHECK(to_host(target, 0, host.data(), 64).text() == "backend_error device_lost");
    CHECK(on_device(target, 0, target, 32, 8).text() == "backend_error device_lost");
    CHECK(fill(target, 0, 64, 0, 1).text() == "backend_error device_lost");
    spoc_buffer made = nullptr;
    const answer refused = ask(spoc_buffer_create, device, std::uint64_t{64}, &made);
    CHECK(refused.text() == "backend_error device_lost");
    CHECK(refused.error.device == 0);
    CHECK(std::string(refused.error.backend) == "rec");
    auto memory = sized<spoc_be_memory_info>();
    CHECK(told(spoc_device_memory, device, &memory) == "backend_error device_lost");
    std::uint32_t health = SPOC_HEALTH_GOOD;
    CHECK(told(spoc_device_health, device, &health) == "ok");
    CHECK(health == SPOC_HEALTH_LOST);
    std::uint32_t steps = 0;
    CHECK(told(spoc_device_self_test, device, static_cast<spoc_self_test_step*>(nullptr), 0U,
               &steps) == "backend_error device_lost");
    CHECK(rec.entries() == strings{});
    // Arguments are still checked first, and what needs no driver still works.
    CHECK(fill(target, 65, 0, 0, 1).text() == "invalid_argument bounds");
    auto described = sized<spoc_device_info>();
    CHECK(told(spoc_device_describe, device, &described) == "ok");
    CHECK(device_count() == 1);
}

TEST_CASE_METHOD(device_fixture, "A device that is lost costs no other") {
    rec.devices.resize(2, rec.devices[0]);
    const spoc_buffer target = begin_with_buffer(64);
    const spoc_buffer other = buffer(device_at(1), 64);
    rec.faults.push_back(failing("fill", SPOC_BE_DEVICE_LOST));
    CHECK(fill(target, 0, 64, 0, 1).text() == "backend_error device_lost");
    CHECK(fill(other, 0, 64, 0, 1).text() == "ok");
    CHECK(on_device(target, 0, other, 0, 64).text() == "backend_error device_lost");
    CHECK(on_device(other, 0, target, 0, 64).text() == "backend_error device_lost");
}

TEST_CASE_METHOD(device_fixture,
                 "An exception out of a plugin is an internal error, and no lock is left held") {
    const spoc_buffer target = begin_with_buffer(64);
    rec.hook = [](std::string_view entry) {
        if (entry == "fill") {
            throw std::runtime_error("not allowed");
        }
    };
    CHECK(fill(target, 0, 64, 0, 1).text() == "internal_error none");
    rec.hook = nullptr;
    CHECK(fill(target, 0, 64, 0, 1).text() == "ok");
}

}  // namespace spoc::test
