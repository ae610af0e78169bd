// SPDX-License-Identifier: Apache-2.0

/// \file
/// Two devices of one backend.

#include <cstdint>
#include <vector>

#include "fixture.hpp"
#include "support/refusal.hpp"

namespace spoc::test {
TEST_CASE_METHOD(hardware, "Bytes go from a device to the other and back",
                 "[hardware][pair][B31][R-412]") {
    const auto other = second();
    if (!other) {
        return;
    }
    const words numbers = counting((std::size_t{8} << 20U) + 1);
    const std::uint64_t bytes = bytes_of(numbers).size();
    const buffer here(dev(), bytes);
    const buffer there(*other, bytes);
    const buffer back(dev(), bytes);
    const stream on(*other);
    copy_to_device(bytes_of(numbers), here);
    copy_on_device(on, here, 0, there, 0, bytes);
    on.synchronize();
    copy_on_device(there, 0, back, 0, bytes);
    words found(numbers.size());
    copy_to_host(back, 0, bytes_of(found));
    CHECK(found == numbers);
}

TEST_CASE_METHOD(hardware, "A vector moves between devices with what was written on each",
                 "[hardware][pair][R-214]") {
    const auto other = second();
    if (!other) {
        return;
    }
    vector<std::int32_t> v(100000);
    v.fill(1);
    v.to_device(dev());
    v.write_range(7, std::vector<std::int32_t>{2});
    v.to_device(*other);
    v.write_range(8, std::vector<std::int32_t>{3});
    v.to_device(dev());
    v.to_host();
    CHECK(v.at(6) == 1);
    CHECK(v.at(7) == 2);
    CHECK(v.at(8) == 3);
}

TEST_CASE_METHOD(hardware, "Page-locked memory serves both devices in turns",
                 "[hardware][pair][B31][R-612]") {
    const auto other = second();
    if (!other) {
        return;
    }
    constexpr std::uint32_t count = 16384;
    pinned_buffer<std::uint32_t> host(dev(), count);
    const buffer here(dev(), std::uint64_t{4} * count);
    const buffer there(*other, std::uint64_t{4} * count);
    const stream first(dev());
    const stream next(*other);
    event done(dev());
    for (std::uint32_t round = 0; round < 1000; ++round) {
        for (std::uint32_t i = 0; i < count; ++i) {
            host.elements()[i] = round * count + i;
        }
        const auto bytes = std::as_writable_bytes(host.elements());
        copy_to_device(first, bytes, here);
        done.record(first);
        wait(next, done);
        copy_on_device(next, here, 0, there, 0, std::uint64_t{4} * count);
        next.synchronize();
        std::fill(host.elements().begin(), host.elements().end(), 0U);
        copy_to_host(next, there, 0, bytes);
        next.synchronize();
        REQUIRE(host.elements()[0] == round * count);
        REQUIRE(host.elements()[count - 1] == round * count + count - 1);
    }
}

TEST_CASE_METHOD(hardware, "What is of one device is refused on the other",
                 "[hardware][pair][B31][R-506]") {
    const auto other = second();
    if (!other) {
        return;
    }
    const stream there(*other);
    const buffer here(dev(), 64);
    event mark(dev());
    std::vector<std::byte> host(64);
    CHECK(refusal_of([&] { mark.record(there); }) == SPOC_SUB_DEVICE);
    CHECK(refusal_of([&] { copy_to_device(there, host, here); }) == SPOC_SUB_DEVICE);
    CHECK(refusal_of([&] { copy_to_host(there, here, 0, host); }) == SPOC_SUB_DEVICE);
    CHECK(refusal_of([&] { fill(there, here, 0, 64, std::uint8_t{1}); }) == SPOC_SUB_DEVICE);
}

}  // namespace spoc::test
