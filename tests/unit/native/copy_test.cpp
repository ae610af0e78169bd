// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {
namespace {

constexpr std::size_t margin = 8;  ///< canaries on each side, and room for unaligned offsets
constexpr unsigned char canary = 0xC5;

/// Every length that has an edge of its own.
std::vector<std::size_t> lengths() {
    std::vector<std::size_t> all(257);
    std::iota(all.begin(), all.end(), 1U);
    all.insert(all.end(), {4095, 4096, 4097, 100003});
    return all;
}

std::vector<unsigned char> pattern(std::size_t length) {
    std::vector<unsigned char> bytes(length);
    for (std::size_t i = 0; i < length; ++i) {
        bytes[i] = static_cast<unsigned char>(i * 7 + length);
    }
    return bytes;
}

/// Whether `bytes` is canaries but for `expected` at `offset`.
bool holds_only(const std::vector<unsigned char>& bytes, std::size_t offset,
                const std::vector<unsigned char>& expected) {
    std::vector<unsigned char> wanted(bytes.size(), canary);
    std::copy(expected.begin(), expected.end(),
              wanted.begin() + static_cast<std::ptrdiff_t>(offset));
    return bytes == wanted;
}

struct copy_fixture : plugin_fixture {
    /// A buffer full of canaries.
    spoc_be_buffer canaries(std::size_t length) {
        const std::vector<unsigned char> bytes(length, canary);
        spoc_be_buffer made = buffer(length);
        upload(made, bytes.data(), length);
        return made;
    }

    std::vector<unsigned char> contents(spoc_be_buffer source, std::size_t length) {
        std::vector<unsigned char> bytes(length);
        download(source, bytes.data(), length);
        return bytes;
    }

    int32_t fill(spoc_be_buffer target, uint64_t offset, uint64_t bytes, uint32_t value,
                 uint32_t size) {
        auto fill = sized<spoc_be_fill>();
        fill.buffer = target;
        fill.offset = offset;
        fill.bytes = bytes;
        fill.pattern = value;
        fill.pattern_size = size;
        done = SPOC_BE_DONE_NOTHING;
        return be.fill(default_stream, &fill, &done, &error);
    }
};

}  // namespace

TEST_CASE_METHOD(copy_fixture, "An upload writes its range to the byte and nothing beside it") {
    for (const std::size_t length : lengths()) {
        const auto source = pattern(length);
        const std::size_t offset = length % margin;
        spoc_be_range range{};
        range.dst = canaries(length + 2 * margin);
        range.dst_offset = offset;
        range.host = const_cast<unsigned char*>(source.data());
        range.bytes = length;
        REQUIRE(copy(SPOC_BE_COPY_H2D, range) == SPOC_BE_OK);
        REQUIRE(done == SPOC_BE_DONE_ALL);
        REQUIRE(holds_only(contents(range.dst, length + 2 * margin), offset, source));
    }
}

TEST_CASE_METHOD(copy_fixture, "A download writes its range to the byte and nothing beside it") {
    for (const std::size_t length : lengths()) {
        const auto source = pattern(length + 3);
        const std::size_t offset = length % margin;
        std::vector<unsigned char> target(length + 2 * margin, canary);
        spoc_be_range range{};
        range.src = buffer(length + 3);
        upload(range.src, source.data(), source.size());
        range.src_offset = 3;
        range.host = target.data() + offset;
        range.bytes = length;
        REQUIRE(copy(SPOC_BE_COPY_D2H, range) == SPOC_BE_OK);
        REQUIRE(done == SPOC_BE_DONE_ALL);
        REQUIRE(holds_only(target, offset, {source.begin() + 3, source.end()}));
    }
}

TEST_CASE_METHOD(copy_fixture,
                 "A copy on the device writes its range to the byte and nothing beside it") {
    for (const std::size_t length : lengths()) {
        const auto source = pattern(length + 5);
        const std::size_t offset = length % margin;
        spoc_be_range range{};
        range.src = buffer(length + 5);
        upload(range.src, source.data(), source.size());
        range.src_offset = 5;
        range.dst = canaries(length + 2 * margin);
        range.dst_offset = offset;
        range.bytes = length;
        REQUIRE(copy(SPOC_BE_COPY_D2D, range) == SPOC_BE_OK);
        REQUIRE(done == SPOC_BE_DONE_ALL);
        REQUIRE(holds_only(contents(range.dst, length + 2 * margin), offset,
                           {source.begin() + 5, source.end()}));
    }
}

TEST_CASE_METHOD(copy_fixture, "A fill repeats its pattern over its range and nothing beside it") {
    const uint32_t size = GENERATE(1U, 2U, 4U);
    const uint32_t value = GENERATE(0x04030201U, 0xABABABABU, 0U);
    for (std::size_t length : lengths()) {
        length *= size;
        const std::size_t offset = length / size % 2 * size;
        const spoc_be_buffer target = canaries(length + 2 * margin);
        REQUIRE(fill(target, offset, length, value, size) == SPOC_BE_OK);
        REQUIRE(done == SPOC_BE_DONE_ALL);
        std::vector<unsigned char> expected(length);
        for (std::size_t i = 0; i < length; ++i) {
            expected[i] = static_cast<unsigned char>(value >> i % size * 8);
        }
        REQUIRE(holds_only(contents(target, length + 2 * margin), offset, expected));
    }
}

TEST_CASE_METHOD(copy_fixture, "All ranges of one copy are copied") {
    const auto source = pattern(64);
    const spoc_be_buffer target = canaries(100);
    std::array<spoc_be_range, 8> ranges{};
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        ranges[i].dst = target;
        ranges[i].dst_offset = 2 + 12 * i;
        ranges[i].host = const_cast<unsigned char*>(source.data()) + 8 * i;
        ranges[i].bytes = 8;
    }
    auto request = sized<spoc_be_copy>();
    request.flags = SPOC_BE_CONSUME_HOST | SPOC_BE_WAIT;
    request.count = ranges.size();
    request.ranges = ranges.data();
    REQUIRE(be.copy(default_stream, &request, &done, &error) == SPOC_BE_OK);
    const auto bytes = contents(target, 100);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto at = static_cast<std::ptrdiff_t>(2 + 12 * i);
        CHECK(std::equal(bytes.begin() + at, bytes.begin() + at + 8,
                         source.begin() + static_cast<std::ptrdiff_t>(8 * i)));
        CHECK(bytes[static_cast<std::size_t>(at) + 8] == canary);
    }
}

TEST_CASE_METHOD(copy_fixture,
                 "A copy of a kind that the backend lacks is unsupported and starts nothing") {
    spoc_be_range range{};
    range.dst = range.src = canaries(8);
    range.bytes = 8;
    const uint32_t kind = GENERATE(SPOC_BE_COPY_PEER, 9U);
    CHECK(copy(kind, range) == SPOC_BE_UNSUPPORTED);
    CHECK(done == SPOC_BE_DONE_ALL);
}

}  // namespace spoc::test
