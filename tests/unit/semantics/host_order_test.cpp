// SPDX-License-Identifier: Apache-2.0

/// \file
/// What the library itself reads of host memory comes after pending work that writes it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

/// A device of its own memory that takes 64 bytes of ordinary memory by itself, with two buffers:
/// one whose first bytes go to the host, and one that they come to from there.
struct there_and_on {
    there_and_on() {
        mock.set_devices(2);
        mock.device().pageable_max = 64;
        here.emplace(runtime.start());
        from.emplace(*here, 256);
        to.emplace(*here, 256);
        copy_to_device(wanted, *from);
        mock.hold();
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
    }
    there_and_on(const there_and_on&) = delete;
    there_and_on& operator=(const there_and_on&) = delete;
    ~there_and_on() {
        mock.hold(false);
        mock.release();
    }

    /// The bytes that 256 bytes of the host's memory have to have brought to `to`.
    void check() {
        mock.release();
        synchronize(*here);
        std::vector<std::byte> got(256);
        copy_to_host(*to, 0, got);
        std::copy_n(wanted.begin(), 48, expected.begin() + 16);
        CHECK(got == expected);
    }

    recorded_runtime runtime;
    recording& mock = runtime.mock;
    std::optional<device> here;
    std::optional<buffer> from, to;
    std::vector<std::byte> host = bytes(256, 9);
    std::vector<std::byte> expected = host;
    std::vector<std::byte> wanted = bytes(256, 4);
    std::span<std::byte> part = std::span(host).subspan(16, 48);
};

}  // namespace

TEST_CASE("A vector is uploaded after pending work that writes its host storage",
          "[R-530][R-531][R-214]") {
    two_devices on;
    on.mock.gate.describe(1, SPOC_BE_KIND_CPU);
    on.begin();
    vector<std::int32_t> v(elements);
    v.fill(1);
    v.to_device(*on.e);
    REQUIRE(v.link(*on.e) == SPOC_LINK_HOST_STORAGE);
    const stream there(*on.e, SPOC_STREAM_NON_BLOCKING);
    on.mock.hold();
    on.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    const auto written = numbers(7);
    v.write_range(there, 0, written);
    REQUIRE(on.mock.pending() == 1);
    v.to_device(*on.d);
    std::vector<std::int32_t> got(elements);
    v.read_range(0, got);
    CHECK(got == written);
}

TEST_CASE("A staged copy reads its source after what its stream writes there before",
          "[R-404][R-405][R-407]") {
    there_and_on all;
    const stream on(*all.here, SPOC_STREAM_NON_BLOCKING);
    copy_to_host(on, *all.from, 0, all.part);
    REQUIRE(all.mock.pending() == 1);
    copy_to_device(on, all.host, *all.to);
    all.check();
}

TEST_CASE("A staged copy without a stream reads its source after the default stream's work",
          "[R-404][R-407]") {
    there_and_on all;
    copy_to_host(stream::default_of(*all.here), *all.from, 0, all.part);
    copy_to_device(all.host, *all.to);
    all.check();
}

TEST_CASE("A staged copy reads its source after what an event orders before it",
          "[R-405][R-407][R-522]") {
    there_and_on all;
    const stream writes(*all.here, SPOC_STREAM_NON_BLOCKING);
    const stream reads(*all.here, SPOC_STREAM_NON_BLOCKING);
    copy_to_host(writes, *all.from, 0, all.part);
    event written(*all.here);
    written.record(writes);
    wait(reads, written);
    copy_to_device(reads, all.host, *all.to);
    all.check();
}

TEST_CASE("A staged copy reads its source after what an event of another device orders before it",
          "[R-405][R-407][R-522]") {
    there_and_on all;
    const device other(all.runtime.device(1));
    const buffer elsewhere(other, 256);
    all.mock.hold(false);
    copy_to_device(all.wanted, elsewhere);
    all.mock.hold();
    const stream writes(other, SPOC_STREAM_NON_BLOCKING);
    const stream reads(*all.here, SPOC_STREAM_NON_BLOCKING);
    copy_to_host(writes, elsewhere, 0, all.part);
    event written(other);
    written.record(writes);
    wait(reads, written);
    copy_to_device(reads, all.host, *all.to);
    all.check();
}

TEST_CASE("A staged copy does not wait for what only reads its source", "[R-405][R-409]") {
    there_and_on all;
    const stream on(*all.here, SPOC_STREAM_NON_BLOCKING);
    copy_to_device(on, all.part, *all.from);
    all.mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    copy_to_device(on, all.host, *all.to);
    CHECK(all.mock.pending() >= 2);
    all.mock.on_wait(SPOC_MOCK_WAIT_RUN);
}

}  // namespace spoc::test
