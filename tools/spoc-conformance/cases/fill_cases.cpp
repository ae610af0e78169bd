// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string>

#include "busy_work.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "onlooker.hpp"

/// \file
/// Fills with patterns of 1, 2 and 4 bytes: every byte inside the range, none outside it.

namespace spoc::conformance {
namespace {

constexpr std::uint32_t value = 0x87654321;

/// `contents` after a fill: the value's low bytes repeated, least significant first.
byte_vector filled(byte_vector contents, std::uint64_t offset, std::uint64_t bytes,
                   std::uint32_t unit) {
    for (std::uint64_t i = 0; i < bytes; ++i) {
        contents[offset + i] = static_cast<std::byte>(value >> i % unit * 8);
    }
    return contents;
}

void lengths(device& dev, std::uint32_t unit) {
    constexpr std::uint64_t room = 1300;
    const spoc_be_buffer target = dev.buffer(room);
    for (const std::uint64_t offset :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{64}}) {
        for (std::uint64_t units = 1; units <= 257; units += units < 20 ? 1 : 9) {
            const byte_vector before = pattern(room, units);
            dev.upload(target, 0, before);
            dev.fill(dev.default_stream, target, offset * unit, units * unit, value, unit,
                     SPOC_BE_WAIT);
            expect_bytes(filled(before, offset * unit, units * unit, unit),
                         dev.download(target, 0, room),
                         text("The buffer after a fill of ", units, " times ", unit,
                              " bytes at offset ", offset * unit));
        }
    }
}

void large(device& dev, std::uint32_t unit) {
    const std::uint64_t bytes = dev.large_size(std::uint64_t{32} << 20) / 16 * 16;
    const byte_vector before = pattern(bytes, 1);
    const spoc_be_buffer target = dev.buffer(before);
    dev.fill(dev.default_stream, target, unit, bytes - std::uint64_t{2} * unit, value, unit,
             SPOC_BE_WAIT);
    expect_bytes(filled(before, unit, bytes - std::uint64_t{2} * unit, unit),
                 dev.download(target, 0, bytes), "The buffer after a large fill");
}

/// Only the pattern's low bytes count.
void high_bytes_do_not_count(device& dev) {
    const spoc_be_buffer target = dev.buffer(pattern(64, 1));
    dev.fill(dev.default_stream, target, 0, 64, 0xFFFFFF5AU, 1, SPOC_BE_WAIT);
    expect_bytes(byte_vector(64, std::byte{0x5A}), dev.download(target, 0, 64),
                 "The buffer after a fill with the low byte of a larger number");
}

/// The last unit of a buffer whose size is no multiple of 4.
void end_of_an_odd_buffer(device& dev) {
    const byte_vector before = pattern(4099, 1);
    const spoc_be_buffer target = dev.buffer(before);
    dev.fill(dev.default_stream, target, 4095, 4, value, 1, SPOC_BE_WAIT);
    expect_bytes(filled(before, 4095, 4, 1), dev.download(target, 0, 4099),
                 "A buffer of 4099 bytes after a fill of its last 4");
}

void in_stream_order(device& dev) {
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer first = dev.buffer(std::uint64_t{65536});
    const spoc_be_buffer second = dev.buffer(std::uint64_t{65536});
    for (std::uint32_t round = 0; round < 50; ++round) {
        dev.fill(stream, first, 0, 65536, round, 4);
        const spoc_be_range over = between(first, 0, second, 0, 65536);
        dev.copy(stream, SPOC_BE_COPY_D2D, {&over, 1});
        dev.fill(stream, first, 0, 65536, 0xEEEEEEEEU, 4);
    }
    dev.sync(stream);
    byte_vector wanted(65536, std::byte{0});
    for (std::size_t i = 0; i < wanted.size(); i += 4) {
        wanted[i] = std::byte{49};
    }
    expect_bytes(wanted, dev.download(second, 0, 65536),
                 "The copy between two fills, in the last of 50 rounds");
}

/// A fill behind other work says DONE_ALL only when another stream sees it.
void done_is_true(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer target = dev.buffer(word_bytes);
    for (std::uint32_t round = 1; round <= 3; ++round) {
        work.start(stream);
        const std::uint32_t done = dev.fill(stream, target, 0, word_bytes, round, word_bytes);
        if (done != SPOC_BE_DONE_ALL) {
            dev.sync(stream);
        }
        const std::uint32_t got = eyes.read_word(target);
        require(got == round, "After a fill ",
                done == SPOC_BE_DONE_ALL ? "said DONE_ALL" : "and stream_sync",
                ", another stream reads ", got, " instead of ", round, ".");
        dev.sync(stream);
    }
}

}  // namespace

void add_fill_cases(case_list& cases) {
    for (const std::uint32_t unit : {1U, 2U, 4U}) {
        cases.push_back(
            on_device(text("fill/lengths_of_", unit), [unit](device& dev) { lengths(dev, unit); }));
        cases.push_back(
            on_device(text("fill/large_of_", unit), [unit](device& dev) { large(dev, unit); }));
    }
    cases.push_back(on_device("fill/high_bytes_do_not_count", high_bytes_do_not_count));
    cases.push_back(on_device("fill/end_of_an_odd_buffer", end_of_an_odd_buffer));
    cases.push_back(on_device("fill/in_stream_order", in_stream_order));
    cases.push_back(on_device("fill/done_is_true", done_is_true));
}

}  // namespace spoc::conformance
