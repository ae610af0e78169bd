// SPDX-License-Identifier: Apache-2.0

/// \file
/// Page-locked memory and vectors on whatever device is at hand.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "any_device_fixture.hpp"
#include "pages.hpp"

namespace spoc::test {
namespace {

using fixture = any_device;
using block = std::vector<std::byte>;

std::vector<std::int32_t> count_from(std::int32_t first, std::size_t count) {
    std::vector<std::int32_t> made(count);
    std::iota(made.begin(), made.end(), first);
    return made;
}

void overwrite(vector<std::int32_t>& v, std::int32_t first) {
    const host_writer<std::int32_t> writer = v.overwrite();
    std::iota(writer.span().begin(), writer.span().end(), first);
}

std::vector<std::int32_t> on_host(const vector<std::int32_t>& v) {
    const auto all = v.read();
    return {all.begin(), all.end()};
}

std::vector<std::int32_t> on_device(const detail::typed_vector<std::int32_t>& v) {
    std::vector<std::int32_t> found(static_cast<std::size_t>(v.size()));
    v.read_range(0, found);
    return found;
}

}  // namespace

TEST_CASE_METHOD(fixture, "Page-locked memory carries bytes both ways",
                 "[any-device][R-601][R-605]") {
    if (!offers(SPOC_BE_CAP_PINNED, "pinned")) {
        return;
    }
    const std::size_t count = GENERATE(1U, 4097U, (5U << 20) + 1);
    CAPTURE(count);
    CHECK(has_pinned_memory(dev()));
    const stream on(dev());
    const pinned_buffer<std::byte> memory(dev(), count);
    CHECK(is_live(memory.elements()));
    CHECK_FALSE(is_live({memory.data(), count + 1}));
    const block data = bytes(count);
    std::copy(data.begin(), data.end(), memory.data());
    const buffer target(dev(), count);
    copy_to_device(on, memory.elements(), target);
    on.synchronize();
    CHECK(content(target) == data);
    std::fill_n(memory.data(), count, std::byte{0});
    copy_to_host(on, target, 0, memory.elements());
    on.synchronize();
    CHECK(std::equal(data.begin(), data.end(), memory.data()));
}

TEST_CASE_METHOD(fixture, "Page-locked memory is released once, and not while work may touch it",
                 "[any-device][R-513][R-611][R-634]") {
    if (!offers(SPOC_BE_CAP_PINNED, "pinned")) {
        return;
    }
    const stream on(dev());
    pinned_buffer<std::byte> memory(dev(), 4096);
    const std::span<std::byte> all = memory.elements();
    const buffer target(dev(), 4096);
    copy_to_device(on, all, target);
    on.synchronize();
    memory.release();
    CHECK_FALSE(is_live(all));
    CHECK_FALSE(memory.is_live());
    memory.release();
    CHECK(thrown([&] { static_cast<void>(memory.elements()); }) == "invalid_argument freed");
}

TEST_CASE_METHOD(fixture, "Parts of page-locked memory go from and to odd places",
                 "[any-device][R-404][R-601]") {
    if (!offers(SPOC_BE_CAP_PINNED, "pinned")) {
        return;
    }
    const pinned_buffer<std::byte> memory(dev(), 8192);
    const block data = bytes(8192);
    std::copy(data.begin(), data.end(), memory.data());
    const buffer target(dev(), 1000);
    fill(target, 0, 1000, std::uint8_t{0});
    copy_to_device(memory.elements().subspan(4095, 301), target, 7);
    copy_to_host(target, 7, memory.elements().subspan(1, 301));
    CHECK(std::equal(data.begin() + 4095, data.begin() + 4396, memory.data() + 1));
    CHECK(memory[0] == data[0]);
    CHECK(memory[302] == data[302]);
    CHECK(content(target)[6] == std::byte{0});
    CHECK(content(target)[308] == std::byte{0});
}

TEST_CASE_METHOD(fixture, "Registered memory carries bytes both ways, and is let go",
                 "[any-device][R-605][R-606][R-610]") {
    const pages memory(4);
    auto registration = registered(memory.all());
    if (!registration) {
        return;
    }
    CHECK(is_live(memory.all()));
    const stream on(dev());
    const block data = bytes(4 * page);
    std::copy(data.begin(), data.end(), memory.all().begin());
    const buffer target(dev(), data.size());
    copy_to_device(on, memory.all(), target);
    on.synchronize();
    std::fill(memory.all().begin(), memory.all().end(), std::byte{0});
    copy_to_host(on, target, 0, memory.all());
    on.synchronize();
    CHECK(std::equal(data.begin(), data.end(), memory.all().begin()));
    registration->release();
    CHECK_FALSE(is_live(memory.all()));
    copy_to_host(target, 0, memory.all());
    CHECK(std::equal(data.begin(), data.end(), memory.all().begin()));
}

TEST_CASE_METHOD(fixture, "Memory is not registered twice", "[any-device][R-607]") {
    const pages memory(4);
    const auto registration = registered(memory.part(1, 2));
    if (!registration) {
        return;
    }
    CHECK(thrown([&] { const host_registration again(dev(), memory.part(2, 2)); }) ==
          "invalid_argument overlap");
    CHECK(is_live(memory.part(1, 2)));
    const auto beside = registered(memory.part(3, 1));
    CHECK(beside.has_value());
}

TEST_CASE_METHOD(fixture, "A copy may cross borders of registered memory", "[any-device][R-408]") {
    const pages memory(6);
    const auto first = registered(memory.part(1, 2));
    if (!first) {
        return;
    }
    const auto second = registered(memory.part(3, 1));
    const stream on(dev());
    const block data = bytes(5 * page);
    const auto range = memory.all().subspan(17, data.size());
    std::copy(data.begin(), data.end(), range.begin());
    const buffer target(dev(), data.size());
    copy_to_device(on, range, target);
    on.synchronize();
    CHECK(content(target) == data);
    std::fill(range.begin(), range.end(), std::byte{0});
    copy_to_host(on, target, 0, range);
    on.synchronize();
    CHECK(std::equal(data.begin(), data.end(), range.begin()));
}

TEST_CASE_METHOD(fixture, "A vector goes to a device and comes back",
                 "[any-device][R-214][R-215]") {
    const std::size_t count = GENERATE(1U, 1000U, 300001U);
    CAPTURE(count);
    vector<std::int32_t> v(count);
    overwrite(v, 5);
    v.to_device(dev());
    CHECK(v.has_buffer(dev()));
    CHECK(on_device(v) == count_from(5, count));
    overwrite(v, 9);
    v.sync();
    CHECK(on_device(v) == count_from(9, count));
    v.to_host(true);
    CHECK(on_host(v) == count_from(9, count));
}

TEST_CASE_METHOD(fixture, "A range that is written on a device is seen by the host",
                 "[any-device][R-222][R-402]") {
    vector<std::int32_t> v(1000);
    overwrite(v, 0);
    v.to_device(dev());
    const std::vector<std::int32_t> part = count_from(7000, 31);
    if (GENERATE(false, true)) {
        const stream on(dev());
        v.write_range(on, 501, part);
        on.synchronize();
    } else {
        v.write_range(501, part);
    }
    std::vector<std::int32_t> wanted = count_from(0, 1000);
    std::copy(part.begin(), part.end(), wanted.begin() + 501);
    CHECK(on_host(v) == wanted);
    CHECK(v.at(531) == 7030);
    std::vector<std::int32_t> back(33);
    v.read_range(500, back);
    CHECK(back == std::vector<std::int32_t>(wanted.begin() + 500, wanted.begin() + 533));
}

TEST_CASE_METHOD(fixture, "Ranges of a vector need a copy that is up to date, and lie in it",
                 "[any-device][R-401][R-403]") {
    vector<std::int32_t> v(100);
    overwrite(v, 0);
    const std::vector<std::int32_t> part = count_from(1, 10);
    std::vector<std::int32_t> back(10);
    CHECK(thrown([&] { v.write_range(0, part); }) == "invalid_argument location");
    CHECK(thrown([&] { v.read_range(0, back); }) == "invalid_argument location");
    v.to_device(dev());
    CHECK(thrown([&] { v.write_range(91, part); }) == "invalid_argument bounds");
    CHECK(thrown([&] { v.read_range(91, back); }) == "invalid_argument bounds");
    CHECK(on_host(v) == count_from(0, 100));
}

TEST_CASE_METHOD(fixture, "Freeing a vector's buffer loses nothing", "[any-device][R-217]") {
    vector<std::int32_t> v(100);
    overwrite(v, 0);
    v.to_device(dev());
    v.write_range(0, count_from(50, 100));
    v.free_buffer(dev());
    CHECK_FALSE(v.has_buffer(dev()));
    CHECK(v.location() == SPOC_LOCATION_HOST);
    CHECK(on_host(v) == count_from(50, 100));
    v.free_buffer(dev());
    v.free_all_buffers();
    v.to_device(dev());
    CHECK(on_device(v) == count_from(50, 100));
}

TEST_CASE_METHOD(fixture, "A vector that is destroyed leaves its memory to pending work",
                 "[any-device][R-225]") {
    const stream on(dev());
    const std::vector<std::int32_t> data = count_from(0, 100000);
    for (int round = 0; round < 4; ++round) {
        vector<std::int32_t> v(data.size());
        overwrite(v, 1);
        v.to_device(dev());
        v.write_range(on, 0, data);
    }
    on.synchronize();
    CHECK(on.idle());
}

TEST_CASE_METHOD(fixture, "A vector on a device alone is moved by ranges",
                 "[any-device][R-220][R-221]") {
    device_vector<std::int32_t> v(dev(), 1000);
    // Where the device works in the host's memory it is a vector like any other.
    const bool is_host_memory =
        dev().capability(SPOC_BE_CAP_BUFFER_HOST_RANGE) == spoc::answer::yes;
    CHECK(v.info().device_only == (is_host_memory ? 0U : 1U));
    v.write_range(0, count_from(0, 1000));
    v.write_range(999, count_from(-5, 1));
    std::vector<std::int32_t> wanted = count_from(0, 1000);
    wanted.back() = -5;
    CHECK(on_device(v) == wanted);
    const stream on(dev());
    std::vector<std::int32_t> back(999);
    const std::vector<std::int32_t> part = count_from(4000, 998);
    v.write_range(on, 1, part);
    v.read_range(on, 1, back);
    on.synchronize();
    CHECK(std::equal(part.begin(), part.end(), back.begin()));
    CHECK(back.back() == -5);
    v.free_buffer(dev());
    CHECK(thrown([&] { v.write_range(0, wanted); }) ==
          (is_host_memory ? "invalid_argument location" : "invalid_argument freed"));
    CHECK(thrown([&] { const device_vector<std::int32_t> none(dev(), 0); }) ==
          "invalid_argument length");
}

}  // namespace spoc::test
