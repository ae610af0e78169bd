// SPDX-License-Identifier: Apache-2.0

/// \file
/// Every byte of a range, and no other, wherever it begins.

#include <cstdint>
#include <functional>
#include <vector>

#include "fixture.hpp"

namespace spoc::test {
namespace {

using block = std::vector<std::byte>;

constexpr std::size_t canary_bytes = 64;
constexpr std::size_t most_bytes = 34;
constexpr std::size_t whole = 2 * canary_bytes + most_bytes + 8;

block pattern(std::size_t count, unsigned seed) {
    block made(count);
    for (std::size_t i = 0; i < count; ++i) {
        made[i] = static_cast<std::byte>(i * 37 + seed);
    }
    return made;
}

/// A copy of `bytes` from the source's `from` to `canary_bytes + to` of the target.
using way = std::function<void(std::size_t from, std::size_t to, std::size_t bytes)>;

/// Tries `move` from and to every place within a word, with every length. `read` gives what the
/// target holds, `reset` has it hold canaries.
void sweep(const block& source, const std::function<void()>& reset, const way& move,
           const std::function<block()>& read) {
    for (std::size_t from = 0; from <= 8; ++from) {
        for (std::size_t to = 0; to <= 8; ++to) {
            for (std::size_t bytes = 0; bytes < most_bytes; ++bytes) {
                reset();
                move(from, to, bytes);
                block wanted(whole, std::byte{0xC5});
                const auto first = source.begin() + static_cast<std::ptrdiff_t>(from);
                std::copy(first, first + static_cast<std::ptrdiff_t>(bytes),
                          wanted.begin() + static_cast<std::ptrdiff_t>(canary_bytes + to));
                CAPTURE(from, to, bytes);
                REQUIRE(read() == wanted);
            }
        }
    }
}

}  // namespace

TEST_CASE_METHOD(hardware, "A small range arrives wherever it begins, and nothing beside it",
                 "[hardware][B69][R-401]") {
    const block source = pattern(whole, 11);
    const buffer there(dev(), whole);
    const buffer target(dev(), whole);
    copy_to_device(source, there);
    const stream on(dev());
    block host(whole);
    const auto reset = [&] { fill(target, 0, whole, std::uint8_t{0xC5}); };
    const auto read = [&] {
        block found(whole);
        copy_to_host(target, 0, found);
        return found;
    };
    SECTION("from the host") {
        sweep(
            source, reset,
            [&](std::size_t from, std::size_t to, std::size_t bytes) {
                copy_to_device(std::span(source).subspan(from, bytes), target, canary_bytes + to);
            },
            read);
    }
    SECTION("from the host on a stream") {
        sweep(
            source, reset,
            [&](std::size_t from, std::size_t to, std::size_t bytes) {
                copy_to_device(on, std::span(source).subspan(from, bytes), target,
                               canary_bytes + to);
                on.synchronize();
            },
            read);
    }
    SECTION("staged") {
        sweep(
            source, reset,
            [&](std::size_t from, std::size_t to, std::size_t bytes) {
                stage(on, std::span(source).subspan(from, bytes), target, canary_bytes + to);
                on.synchronize();
            },
            read);
    }
    SECTION("on the device") {
        sweep(
            source, reset,
            [&](std::size_t from, std::size_t to, std::size_t bytes) {
                copy_on_device(there, from, target, canary_bytes + to, bytes);
            },
            read);
    }
    SECTION("to the host") {
        sweep(
            source, [&] { host.assign(whole, std::byte{0xC5}); },
            [&](std::size_t from, std::size_t to, std::size_t bytes) {
                copy_to_host(there, from, std::span(host).subspan(canary_bytes + to, bytes));
            },
            [&] { return host; });
    }
}

TEST_CASE_METHOD(hardware, "A small fill fills its range, wherever it begins",
                 "[hardware][B69][R-401]") {
    const buffer target(dev(), whole);
    for (std::size_t at = 0; at <= 8; ++at) {
        for (std::size_t bytes = 0; bytes < most_bytes; ++bytes) {
            fill(target, 0, whole, std::uint8_t{0xC5});
            fill(target, canary_bytes + at, bytes, std::uint8_t{0x3A});
            block wanted(whole, std::byte{0xC5});
            std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(canary_bytes + at), bytes,
                        std::byte{0x3A});
            block found(whole);
            copy_to_host(target, 0, found);
            CAPTURE(at, bytes);
            REQUIRE(found == wanted);
        }
    }
}

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

/// Whether memory of many GiB may be taken; if not, the case is skipped.
bool may_be_big(const device& on, std::uint64_t bytes) {
    if (setting("SPOC_TEST_BIG", "0") != "1") {
        skips().add("it takes many GiB; SPOC_TEST_BIG=1 allows it");
        return false;
    }
    if (on.properties().max_alloc < bytes) {
        skips().add("the device allocates no buffer of this size");
        return false;
    }
    return true;
}

}  // namespace

TEST_CASE_METHOD(hardware, "Ranges across 2 and 4 GiB are right to the byte", "[hardware][R-401]") {
    constexpr std::uint64_t size = 5 * gib;
    if (!may_be_big(dev(), size)) {
        return;
    }
    const std::uint64_t border = GENERATE(2 * gib, 4 * gib);
    const buffer target(dev(), size);
    const block source = pattern(5000, 3);
    const std::uint64_t start = border - 2501;
    fill(target, start - 100, source.size() + 200, std::uint8_t{0xC5});
    copy_to_device(source, target, start);
    block found(source.size() + 200);
    copy_to_host(target, start - 100, found);
    block wanted(found.size(), std::byte{0xC5});
    std::copy(source.begin(), source.end(), wanted.begin() + 100);
    CHECK(found == wanted);
    // From there to the buffer's start, and to its end.
    copy_on_device(target, start, target, 1, source.size());
    copy_on_device(target, start, target, size - source.size(), source.size());
    block again(source.size());
    copy_to_host(target, 1, again);
    CHECK(again == source);
    copy_to_host(target, size - source.size(), again);
    CHECK(again == source);
}

TEST_CASE_METHOD(hardware, "A copy of more than 4 GiB is whole", "[hardware][R-401]") {
    constexpr std::uint64_t size = 4 * gib + 5;
    if (!may_be_big(dev(), size)) {
        return;
    }
    std::vector<std::uint64_t> source(size / 8 + 1);
    for (std::uint64_t i = 0; i < source.size(); ++i) {
        source[i] = i * 0x9E3779B97F4A7C15U;
    }
    std::vector<std::uint64_t> found(source.size());
    const buffer there(dev(), size);
    const buffer further(dev(), size);
    copy_to_device(std::as_bytes(std::span(source)).first(size), there);
    copy_on_device(there, 0, further, 0, size);
    copy_to_host(further, 0, std::as_writable_bytes(std::span(found)).first(size));
    CHECK(std::equal(source.begin(), source.end() - 1, found.begin()));
    constexpr std::uint64_t last = 0xFFFFFFFFFFU;  // five bytes of the last word
    CHECK((source.back() & last) == found.back());
}

}  // namespace spoc::test
