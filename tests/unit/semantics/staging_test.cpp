// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

/// A device that takes ordinary memory up to a size.
class limited_device : public held_device {
 public:
    explicit limited_device(std::uint64_t pageable_max) {
        first.reset();
        runtime.stop();
        mock.device().pageable_max = pageable_max;
        begin();
    }
};

}  // namespace

TEST_CASE("Ordinary memory goes through slots where the device does not reach it",
          "[R-407][R-409]") {
    limited_device fixture(0);
    constexpr std::size_t big = (std::size_t{9} << 20) + 5;
    const auto data = bytes(big, 3);
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), big);
    copy_to_device(on, data, target);
    std::uint64_t at = 0;
    for (const auto& call : fixture.mock.calls("copy")) {
        CHECK(call.hostmem != 0);
        CHECK(call.dst_offset == at);
        at += call.bytes;
    }
    CHECK(at == big);
    CHECK(fixture.mock.count("pinned_alloc") <= 2);
    std::vector<std::byte> got(big);
    copy_to_host(on, target, 0, got);
    CHECK(got == data);
    std::fill(got.begin(), got.end(), std::byte{0});
    copy_to_host(target, 0, got);
    CHECK(got == data);
}

TEST_CASE("A slot is not filled again before its copy is done", "[R-407]") {
    limited_device fixture(0);
    constexpr std::size_t big = std::size_t{20} << 20;
    const auto data = bytes(big, 3);
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), big);
    fixture.mock.hold();
    // Waiting for a slot runs the held copies up to the slot's own, and no further.
    fixture.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    copy_to_device(on, data, target);
    CHECK(fixture.mock.count("stream_sync") == 0);
    CHECK(fixture.mock.pending() > 0);
    fixture.mock.release();
    on.synchronize();
    std::vector<std::byte> got(big);
    copy_to_host(target, 0, got);
    CHECK(got == data);
}

TEST_CASE("A source that went through a slot may change at once", "[R-407]") {
    limited_device fixture(0);
    auto data = bytes(1000, 3);
    const auto wanted = data;
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), 1000);
    fixture.hold();
    copy_to_device(on, data, target);
    std::fill(data.begin(), data.end(), std::byte{0xEE});
    fixture.release();
    fixture.mock.hold(false);
    on.synchronize();
    std::vector<std::byte> got(1000);
    copy_to_host(target, 0, got);
    CHECK(got == wanted);
}

TEST_CASE("A range of which a part fails leaves nothing in flight", "[R-003]") {
    limited_device fixture(0);
    const auto data = bytes(std::size_t{9} << 20);
    const stream on(fixture.dev());
    buffer target(fixture.dev(), data.size());
    kept_alive source;
    auto reference = source.reference();
    fixture.mock.hold();
    fixture.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    fixture.mock.fail("copy", SPOC_BE_DRIVER, 1);
    CHECK(thrown([&] { copy_to_device(on, data, target, 0, reference); }) ==
          "backend_error copy_failed");
    CHECK(fixture.mock.pending() == 0);
    CHECK(reference.use_count() == 1);
    target.free();
}

TEST_CASE("A read-back through slots is in place when the call returns", "[R-407][R-409]") {
    limited_device fixture(0);
    const auto data = bytes(1000, 3);
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), 1000);
    fixture.mock.hold();
    fixture.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    copy_to_device(on, data, target);
    CHECK(fixture.mock.pending() > 0);
    std::vector<std::byte> got(1000);
    copy_to_host(on, target, 0, got);
    CHECK(got == data);
}

TEST_CASE("A slot whose copy could not be waited for is not used for another", "[R-003][R-407]") {
    limited_device fixture(0);
    const auto data = bytes(std::size_t{8} << 20, 3);
    const auto other = bytes(1000, 7);
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), data.size());
    fixture.hold();
    copy_to_device(on, data, target);
    // Both slots are in flight now, and the wait for the older one fails.
    CHECK(thrown([&] { copy_to_device(on, other, target); }) == "backend_error sync_failed");
    CHECK(thrown([&] { copy_to_device(on, other, target); }) == "backend_error sync_failed");
    fixture.release();
    fixture.mock.hold(false);
    on.synchronize();
    std::vector<std::byte> got(data.size());
    copy_to_host(target, 0, got);
    CHECK(got == data);
}

TEST_CASE("A slot that cannot be marked is waited for, or given up", "[R-003][R-407]") {
    limited_device fixture(0);
    const auto data = bytes(1000, 3);
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), 4000);
    fixture.mock.hold();
    fixture.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    fixture.mock.fail("event_create", SPOC_BE_DRIVER);
    SECTION("the wait works") {
        copy_to_device(on, data, target);
        CHECK(fixture.mock.pending() == 0);
        copy_to_device(on, data, target, 1000);
        CHECK(fixture.mock.count("pinned_alloc") == 1);
    }
    SECTION("the wait fails too") {
        fixture.mock.fail("stream_sync", SPOC_BE_DRIVER);
        copy_to_device(on, data, target);
        CHECK(fixture.mock.pending() == 1);
        copy_to_device(on, bytes(1000, 9), target, 1000);
        CHECK(fixture.mock.count("pinned_alloc") == 2);
    }
    fixture.mock.hold(false);
    on.synchronize();
    std::vector<std::byte> got(1000);
    copy_to_host(target, 0, got);
    CHECK(got == data);
}

TEST_CASE("What went through a slot is the caller's again at once", "[R-406][R-407]") {
    limited_device fixture(0);
    const auto data = bytes(1000);
    const stream on(fixture.dev());
    const buffer target(fixture.dev(), 1000);
    kept_alive source;
    fixture.hold();
    copy_to_device(on, data, target, 0, source.reference());
    CHECK_FALSE(source.is_kept());
    CHECK(fixture.mock.pending() > 0);
}

TEST_CASE("Without page-locked memory a limited device gets pieces of its limit, in one call",
          "[R-407]") {
    recorded_runtime runtime;
    runtime.mock.device().pageable_max = 1000;
    runtime.mock.set_capability(SPOC_BE_CAP_PINNED, SPOC_MOCK_NO);
    const device first(runtime.start());
    const buffer target(first, 4000);
    const auto data = bytes(2500);
    copy_to_device(data, target, 7);
    const auto calls = runtime.mock.calls("copy");
    REQUIRE(calls.size() == 3);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        CHECK(calls[i].number == calls[0].number);
        CHECK(calls[i].bytes == (i < 2 ? 1000 : 500));
        CHECK(calls[i].host == data.data() + 1000 * i);
        CHECK(calls[i].dst_offset == 7 + 1000 * i);
    }
    std::vector<std::byte> got(2500);
    copy_to_host(target, 7, got);
    CHECK(got == data);
}

}  // namespace spoc::test
