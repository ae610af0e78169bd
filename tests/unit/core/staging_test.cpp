// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;
using bytes = std::vector<std::byte>;
using sizes = std::vector<std::uint64_t>;

constexpr std::uint64_t block = std::uint64_t{4} << 20;

/// Copies up and down at an odd offset, and checks every byte and its neighbours.
void check_round_trip(spoc_buffer buffer, std::uint64_t count) {
    auto info = sized<spoc_buffer_info>();
    REQUIRE(told(spoc_buffer_describe, buffer, &info) == "ok");
    bytes expected(info.bytes, std::byte{0x5A});
    REQUIRE(told(spoc_fill, buffer, std::uint64_t{0}, info.bytes, 0x5AU, 1U) == "ok");
    const bytes data = pattern(count, 3);
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), count, buffer,
               std::uint64_t{1}) == "ok");
    std::copy(data.begin(), data.end(), expected.begin() + 1);
    CHECK(contents(buffer) == expected);
    bytes back(count + 2, std::byte{0xEE});
    CHECK(told(spoc_copy_to_host, buffer, std::uint64_t{1}, static_cast<void*>(back.data() + 1),
               count) == "ok");
    CHECK(std::equal(data.begin(), data.end(), back.begin() + 1));
    CHECK(back.front() == std::byte{0xEE});
    CHECK(back.back() == std::byte{0xEE});
}

sizes piece_sizes(recorder& rec, bool pinned) {
    sizes found;
    for (const recorded_call& call : rec.calls("copy")) {
        CHECK(call.pinned == pinned);
        found.push_back(call.bytes);
    }
    return found;
}

}  // namespace

TEST_CASE_METHOD(device_fixture,
                 "A device that takes any memory gets the caller's own, in one piece") {
    info().pageable_max = SPOC_BE_NO_LIMIT;
    const std::uint64_t count = 2 * block + 5;
    const spoc_buffer target = begin_with_buffer(count + 2);
    const bytes data = pattern(count);
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), count, target,
               std::uint64_t{1}) == "ok");
    CHECK(piece_sizes(rec, false) == sizes{count});
    CHECK(rec.calls("copy")[0].host == data.data());
    CHECK(rec.calls("copy")[0].dst_offset == 1);
    CHECK(rec.count("pinned_alloc") == 0);
    check_round_trip(target, count);
}

TEST_CASE_METHOD(device_fixture, "A device that takes no ordinary memory never sees any") {
    info().pageable_max = 0;
    const std::uint64_t count =
        GENERATE(std::uint64_t{1}, block - 1, block, block + 1, 2 * block + 3);
    const spoc_buffer target = begin_with_buffer(count + 2);
    const bytes data = pattern(count);
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), count, target,
               std::uint64_t{2}) == "ok");
    CHECK(rec.count("pinned_alloc") == 1);
    CHECK(rec.calls("pinned_alloc")[0].bytes == block);
    std::uint64_t at = 2;
    for (const recorded_call& call : rec.calls("copy")) {
        CHECK(call.pinned);
        CHECK((call.host < data.data() || call.host >= data.data() + count));
        CHECK(call.dst_offset == at);
        CHECK(call.bytes <= block);
        at += call.bytes;
    }
    CHECK(at == count + 2);
    CHECK(rec.count("copy") == (count + block - 1) / block);
    check_round_trip(target, count);
    CHECK(rec.count("pinned_alloc") == 1);  // made once and kept
}

TEST_CASE_METHOD(device_fixture,
                 "A device with a limit gets ordinary memory up to it, staged above it") {
    info().pageable_max = 1000;
    const spoc_buffer target = begin_with_buffer(5000);
    const bytes data = pattern(1001);
    const auto copy = [&](std::uint64_t count) {
        CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), count, target,
                   std::uint64_t{0}) == "ok");
    };
    copy(1000);
    CHECK(piece_sizes(rec, false) == sizes{1000});
    CHECK(rec.count("pinned_alloc") == 0);
    rec.forget();
    copy(1001);
    CHECK(piece_sizes(rec, true) == sizes{1001});
    check_round_trip(target, 4000);
}

TEST_CASE_METHOD(runtime_fixture,
                 "Without page-locked memory a limited device gets pieces of its limit") {
    recorder& rec = add("rec", GENERATE(entries::some, entries::none));
    set_capability(rec.devices[0], SPOC_BE_CAP_PINNED, false);
    rec.devices[0].pageable_max = 1000;
    start();
    const spoc_buffer target = buffer(device_at(0), 4000);
    rec.forget();
    const bytes data = pattern(2500);
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), std::uint64_t{2500},
               target, std::uint64_t{7}) == "ok");
    // In one call; the recorder writes its first piece down.
    CHECK(piece_sizes(rec, false) == sizes{1000});
    CHECK(rec.count("pinned_alloc") == 0);
    check_round_trip(target, 3500);
}

TEST_CASE_METHOD(runtime_fixture, "A device that reaches no host memory at all says so",
                 "[R-001][R-005]") {
    recorder& rec = add("rec", GENERATE(entries::some, entries::none));
    set_capability(rec.devices[0], SPOC_BE_CAP_PINNED, false);
    rec.devices[0].pageable_max = 0;
    start();
    const spoc_buffer target = buffer(device_at(0), 64);
    rec.forget();
    bytes host(64, std::byte{0xEE});
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(host.data()), std::uint64_t{64},
               target, std::uint64_t{0}) == "feature_not_supported none");
    CHECK(told(spoc_copy_to_host, target, std::uint64_t{0}, static_cast<void*>(host.data()),
               std::uint64_t{64}) == "feature_not_supported none");
    CHECK(rec.entries() == strings{});
    CHECK(host == bytes(64, std::byte{0xEE}));
}

TEST_CASE_METHOD(device_fixture,
                 "Staging memory that cannot be had fails the copy, and it can be had later") {
    info().pageable_max = 0;
    const spoc_buffer target = begin_with_buffer(64);
    fault broken;
    broken.entry = "pinned_alloc";
    SECTION("out of memory") {
        broken.status = SPOC_BE_OUT_OF_MEMORY;
        rec.faults.push_back(broken);
        const bytes data = pattern(64);
        CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), std::uint64_t{64},
                   target, std::uint64_t{0}) == "backend_error oom");
    }
    SECTION("any other failure") {
        rec.faults.push_back(broken);
        bytes host(64, std::byte{0xEE});
        CHECK(told(spoc_copy_to_host, target, std::uint64_t{0}, static_cast<void*>(host.data()),
                   std::uint64_t{64}) == "backend_error oom");
        CHECK(host == bytes(64, std::byte{0xEE}));
    }
    CHECK(rec.count("copy") == 0);
    check_round_trip(target, 60);
}

TEST_CASE_METHOD(device_fixture,
                 "Staging memory that is none is the plugin's bug, and no copy follows") {
    info().pageable_max = 0;
    const spoc_buffer target = begin_with_buffer(64);
    rec.pinned_bytes = 0;
    const bytes data = pattern(64);
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), std::uint64_t{64},
               target, std::uint64_t{0}) == "internal_error none");
    CHECK(rec.count("copy") == 0);
}

TEST_CASE_METHOD(device_fixture, "Staging memory of another size than asked is used as it is") {
    info().pageable_max = 0;
    const spoc_buffer target = begin_with_buffer(3000);
    rec.pinned_bytes = 1000;
    const bytes data = pattern(2500);
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(data.data()), std::uint64_t{2500},
               target, std::uint64_t{0}) == "ok");
    CHECK(piece_sizes(rec, true) == sizes{1000, 1000, 500});
    check_round_trip(target, 2900);
}

TEST_CASE_METHOD(device_fixture, "A staged copy that fails in the middle ends there") {
    info().pageable_max = 0;
    const std::uint64_t count = 3 * block;
    const spoc_buffer target = begin_with_buffer(count);
    fault broken;
    broken.entry = "copy";
    broken.skip = 1;
    rec.faults.push_back(broken);
    bytes host(count, std::byte{0xEE});
    CHECK(told(spoc_copy_to_host, target, std::uint64_t{0}, static_cast<void*>(host.data()),
               count) == "backend_error copy_failed");
    CHECK(rec.count("copy") == 2);
    CHECK(host[block - 1] == std::byte{0});
    CHECK(host[2 * block] == std::byte{0xEE});
}

TEST_CASE_METHOD(device_fixture,
                 "Staged bytes that are still on their way are waited for before they are read") {
    info().pageable_max = 0;
    const spoc_buffer target = begin_with_buffer(64);
    rec.done = SPOC_BE_DONE_NOTHING;
    bytes host(64);
    CHECK(told(spoc_copy_to_host, target, std::uint64_t{0}, static_cast<void*>(host.data()),
               std::uint64_t{64}) == "ok");
    CHECK(rec.entries() == strings{"pinned_alloc", "copy", "stream_sync"});
    rec.done = SPOC_BE_DONE_ALL;
}

TEST_CASE_METHOD(runtime_fixture, "Every device stages through memory of its own") {
    recorder& rec = add("rec");
    rec.devices[0].pageable_max = 0;
    rec.devices.resize(2, rec.devices[0]);
    start();
    for (const std::uint32_t id : {0U, 1U}) {
        check_round_trip(buffer(device_at(id), 100), 90);
    }
    CHECK(rec.count("pinned_alloc") == 2);
}

}  // namespace spoc::test
