// SPDX-License-Identifier: Apache-2.0

/// \file
/// Orders that a driver gets wrong once in ten thousand times, if they are not asked for.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "fixture.hpp"

namespace spoc::test {
namespace {

/// Elements: 4 bytes, 64 KiB, one more, 8 MiB.
std::size_t some_count() { return GENERATE(1U, 16384U, 16385U, 2097152U); }

/// The first place where `found` is not what `scale` makes of counting elements, or its size.
std::size_t first_wrong(const words& found, std::uint32_t factor, std::uint32_t start = 0) {
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        if (found[i] != scaled(start + i, factor, i)) {
            return i;
        }
    }
    return found.size();
}

}  // namespace

TEST_CASE_METHOD(hardware, "The host sees what a kernel wrote on a stream that it did not wait for",
                 "[hardware][B39][R-404][R-530]") {
    const auto scale = device_kernel::scale(dev());
    const auto spin = device_kernel::spin(dev());
    if (!has(scale) || !has(spin)) {
        return;
    }
    const auto count = static_cast<std::uint32_t>(some_count());
    CAPTURE(count);
    const stream on(dev(), SPOC_STREAM_NON_BLOCKING);
    const words numbers = counting(count);
    const buffer source(dev(), bytes_of(numbers).size());
    copy_to_device(bytes_of(numbers), source);
    buffer scratch(dev(), 4);
    vector<std::int32_t> result(count);
    result.to_device(dev());
    words found(count);
    for (int round = 1; round <= rounds(); ++round) {
        const auto factor = static_cast<std::uint32_t>(round);
        launch(spin->get(), shape_for(1), on, out(scratch), factor, std::uint32_t{60000});
        launch(scale->get(), shape_for(count), on, in(source), out(result), factor, count);
        result.read_range(0, {reinterpret_cast<std::int32_t*>(found.data()), count});
        REQUIRE(first_wrong(found, factor) == count);
    }
}

TEST_CASE_METHOD(hardware, "A kernel on any stream sees what was copied from ordinary memory",
                 "[hardware][B39][R-404][H-10]") {
    const auto scale = device_kernel::scale(dev());
    if (!has(scale)) {
        return;
    }
    const auto count = static_cast<std::uint32_t>(some_count());
    CAPTURE(count);
    const stream on(dev(), SPOC_STREAM_NON_BLOCKING);
    words numbers = counting(count);
    words found(count);
    const buffer source(dev(), bytes_of(numbers).size());
    buffer result(dev(), bytes_of(numbers).size());
    for (int round = 1; round <= rounds(); ++round) {
        const auto start = static_cast<std::uint32_t>(round);
        for (std::uint32_t i = 0; i < count; ++i) {
            numbers[i] = start + i;
        }
        copy_to_device(bytes_of(numbers), source);
        std::fill(numbers.begin(), numbers.end(), 0xDEADBEEFU);
        launch(scale->get(), shape_for(count), on, in(source), out(result), std::uint32_t{3},
               count);
        copy_to_host(on, result, 0, bytes_of(found));
        on.synchronize();
        REQUIRE(first_wrong(found, 3, start) == count);
    }
}

TEST_CASE_METHOD(hardware, "A launch has taken its arguments when it returns",
                 "[hardware][R-514]") {
    const auto scale = device_kernel::scale(dev());
    const auto spin = device_kernel::spin(dev());
    if (!has(scale) || !has(spin)) {
        return;
    }
    const auto count = static_cast<std::uint32_t>(rounds());
    const stream on(dev(), SPOC_STREAM_NON_BLOCKING);
    const words one{1};
    const buffer source(dev(), 4);
    copy_to_device(bytes_of(one), source);
    // Ranges of a device's memory begin where it can bind them.
    constexpr std::uint32_t apart = 64;
    buffer result(dev(), std::uint64_t{4} * apart * count);
    buffer scratch(dev(), 4);
    std::uint32_t factor = 0;
    std::uint32_t elements = 1;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i % 256 == 0) {
            launch(spin->get(), shape_for(1), on, out(scratch), i, std::uint32_t{60000});
        }
        factor = i + 7;
        elements = 1;
        launch(scale->get(), {.grid = 1, .block = 1}, on, in(source),
               out(result).part(std::uint64_t{4} * apart * i, 4), factor, elements);
        // NOLINTBEGIN(clang-analyzer-deadcode.DeadStores): whether anybody reads them is the
        // question
        factor = 0xBADBADU;
        elements = 0;
        // NOLINTEND(clang-analyzer-deadcode.DeadStores)
    }
    words found(std::size_t{apart} * count);
    copy_to_host(on, result, 0, bytes_of(found));
    on.synchronize();
    for (std::uint32_t i = 0; i < count; ++i) {
        REQUIRE(found[std::size_t{apart} * i] == i + 7);
    }
}

TEST_CASE_METHOD(hardware, "No launch among staged writes is lost", "[hardware][R-709][T1]") {
    const auto scale = device_kernel::scale(dev());
    if (!has(scale)) {
        return;
    }
    constexpr std::uint32_t writes = 300;
    constexpr std::uint32_t count = 16;
    std::atomic<bool> over{false};
    // Memory that ends all the while, on another thread.
    std::jthread ending([&] {
        while (!over) {
            vector<std::int32_t> brief(64);
            brief.to_device(dev());
        }
    });
    for (int run = 0; run < 20; ++run) {
        const stream on(dev());
        const buffer source(dev(), std::uint64_t{4} * count);
        buffer marks(dev(), std::uint64_t{256} * writes);
        fill(marks, 0, std::uint64_t{256} * writes, std::uint8_t{0xFF});
        for (std::uint32_t i = 0; i < writes; ++i) {
            const words numbers(count, i + 1);
            stage(on, bytes_of(numbers), source);
            launch(scale->get(), shape_for(count), on, in(source),
                   out(marks).part(std::uint64_t{256} * i, std::uint64_t{4} * count),
                   std::uint32_t{5}, count);
        }
        words found(std::size_t{64} * writes);
        copy_to_host(on, marks, 0, bytes_of(found));
        on.synchronize();
        for (std::uint32_t i = 0; i < writes; ++i) {
            for (std::uint32_t at = 0; at < count; ++at) {
                REQUIRE(found[std::size_t{64} * i + at] == scaled(i + 1, 5, at));
            }
        }
    }
    over = true;
}

}  // namespace spoc::test
