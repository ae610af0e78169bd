// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "host_side.hpp"

/// \file
/// Copies between host and device and within the device, each waited for. Every case sets up both
/// ends with different contents, copies, and compares *everything*: the range, what lies around it,
/// and the source.

namespace spoc::conformance {
namespace {

/// `contents` with `piece` put at `offset`.
byte_vector with_piece(byte_vector contents, std::size_t offset, std::span<const std::byte> piece) {
    std::copy(piece.begin(), piece.end(), contents.begin() + static_cast<std::ptrdiff_t>(offset));
    return contents;
}

struct piece {
    std::size_t from;
    std::size_t to;
    std::size_t bytes;
};

/// The given piece of a host memory to a device buffer of another content.
void try_to_device(device& dev, spoc_be_buffer target, const host_side& source, const piece& part,
                   std::size_t target_bytes, std::uint64_t seed) {
    const byte_vector before = pattern(target_bytes, seed);
    dev.upload(target, 0, before);
    const spoc_be_range range =
        source.range(to_device(target, part.to, nullptr, part.bytes), part.from);
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
    expect_bytes(with_piece(before, part.to, source.bytes().subspan(part.from, part.bytes)),
                 dev.download(target, 0, target_bytes),
                 text("The buffer after ", part.bytes, " bytes from host offset ", part.from,
                      " to device offset ", part.to));
    source.expect_intact();
}

void try_to_host(device& dev, spoc_be_buffer source, const host_side& target, const piece& part,
                 const byte_vector& contents) {
    const byte_vector before(target.bytes().begin(), target.bytes().end());
    const spoc_be_range range =
        target.range(to_host(source, part.from, nullptr, part.bytes), part.to);
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2H, {&range, 1}, SPOC_BE_WAIT);
    const std::span<const std::byte> sent(contents);
    expect_bytes(with_piece(before, part.to, sent.subspan(part.from, part.bytes)), target.bytes(),
                 text("Host memory after ", part.bytes, " bytes from device offset ", part.from,
                      " to host offset ", part.to));
    target.expect_intact();
}

/// Lengths 1 to 257 and 4097, as the copy of each length starts at the given offsets.
std::vector<std::size_t> lengths() {
    std::vector<std::size_t> all(257);
    std::iota(all.begin(), all.end(), std::size_t{1});
    all.push_back(4097);
    return all;
}

constexpr std::size_t small_room = 4608;
constexpr std::array<std::size_t, 4> offsets{0, 1, 3, 13};

void to_device_lengths(device& dev, host_end end, std::size_t from, std::size_t to) {
    const host_side source(dev, end, small_room, 1);
    const spoc_be_buffer target = dev.buffer(small_room);
    for (const std::size_t bytes : lengths()) {
        try_to_device(dev, target, source, {from, to, bytes}, small_room, bytes + 100);
    }
}

void to_host_lengths(device& dev, host_end end, std::size_t from, std::size_t to) {
    const byte_vector contents = pattern(small_room, 2);
    const spoc_be_buffer source = dev.buffer(contents);
    const host_side target(dev, end, small_room, 3);
    for (const std::size_t bytes : lengths()) {
        try_to_host(dev, source, target, {from, to, bytes}, contents);
    }
    expect_bytes(contents, dev.download(source, 0, small_room), "The source after all copies");
}

void within_lengths(device& dev, std::size_t from, std::size_t to) {
    const byte_vector contents = pattern(small_room, 4);
    const spoc_be_buffer source = dev.buffer(contents);
    const spoc_be_buffer target = dev.buffer(small_room);
    for (const std::size_t bytes : lengths()) {
        const byte_vector before = pattern(small_room, bytes + 100);
        dev.upload(target, 0, before);
        const spoc_be_range range = between(source, from, target, to, bytes);
        dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&range, 1}, SPOC_BE_WAIT);
        const std::span<const std::byte> sent(contents);
        expect_bytes(
            with_piece(before, to, sent.subspan(from, bytes)), dev.download(target, 0, small_room),
            text("The target after ", bytes, " bytes from offset ", from, " to offset ", to));
    }
    expect_bytes(contents, dev.download(source, 0, small_room), "The source after all copies");
}

/// The last byte of the source to the last byte of the target: nothing may be rounded up.
void to_device_end(device& dev, host_end end) {
    const host_side source(dev, end, 257, 1);
    const spoc_be_buffer target = dev.buffer(259);
    try_to_device(dev, target, source, {256, 258, 1}, 259, 2);
    try_to_device(dev, target, source, {0, 2, 257}, 259, 3);
}

void to_host_end(device& dev, host_end end) {
    const byte_vector contents = pattern(259, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    const host_side target(dev, end, 257, 2);
    try_to_host(dev, source, target, {258, 256, 1}, contents);
    try_to_host(dev, source, target, {2, 0, 257}, contents);
}

/// A size that no driver moves in one piece, at odd offsets.
constexpr std::uint64_t large = (std::uint64_t{64} << 20) + 4099;

/// That, or what both ends have room for.
std::uint64_t large_for(const device& dev, host_end end) {
    const std::uint64_t bytes = dev.large_size(large);
    return end == host_end::ordinary ? bytes : dev.large_pinned_size(bytes);
}

constexpr std::size_t power_margin = 64;

/// Room for a copy of a little more than 1 MiB and a margin on both sides, or what there is of it.
std::size_t power_room(std::uint64_t most) {
    return std::min<std::uint64_t>(most, (std::uint64_t{1} << 20) + 1 + 2 * power_margin);
}

/// Sizes at which drivers change their ways, and those beside them, as far as there is room.
std::vector<std::size_t> powers_of_two(std::size_t room) {
    std::vector<std::size_t> all;
    for (std::size_t power = 2; power + 1 + 2 * power_margin <= room; power *= 2) {
        all.insert(all.end(), {power - 1, power, power + 1});
    }
    return all;
}

/// What is looked at after a copy of `bytes` bytes from the margin's end on: with both margins.
std::span<const std::byte> with_margins(std::span<const std::byte> all, std::size_t bytes) {
    return all.first(bytes + 2 * power_margin);
}

void to_device_powers(device& dev, host_end end) {
    const std::size_t room = power_room(large_for(dev, end));
    const host_side source(dev, end, room, 1);
    const byte_vector before = pattern(room, 2);
    const spoc_be_buffer target = dev.buffer(room);
    for (const std::size_t bytes : powers_of_two(room)) {
        dev.upload(target, 0, with_margins(before, bytes));
        const spoc_be_range range =
            source.range(to_device(target, power_margin, nullptr, bytes), power_margin);
        dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
        byte_vector wanted(before.begin(),
                           before.begin() + static_cast<std::ptrdiff_t>(bytes + 2 * power_margin));
        wanted = with_piece(std::move(wanted), power_margin,
                            source.bytes().subspan(power_margin, bytes));
        expect_bytes(wanted, dev.download(target, 0, wanted.size()),
                     text("The buffer after ", bytes, " bytes from the host"));
    }
}

void to_host_powers(device& dev, host_end end) {
    const std::size_t room = power_room(large_for(dev, end));
    const byte_vector contents = pattern(room, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    const host_side target(dev, end, room, 2);
    // What lies before and behind a copy is what the one before left there.
    byte_vector wanted(target.bytes().begin(), target.bytes().end());
    std::uint64_t seed = 0;
    for (const std::size_t bytes : powers_of_two(room)) {
        const std::size_t from = ++seed % 61;
        wanted =
            with_piece(std::move(wanted), power_margin, std::span(contents).subspan(from, bytes));
        const spoc_be_range range =
            target.range(to_host(source, from, nullptr, bytes), power_margin);
        dev.copy(dev.default_stream, SPOC_BE_COPY_D2H, {&range, 1}, SPOC_BE_WAIT);
        expect_bytes(with_margins(wanted, bytes), with_margins(target.bytes(), bytes),
                     text("Host memory after ", bytes, " bytes from the device"));
    }
    target.expect_intact();
}

void within_powers(device& dev) {
    const std::size_t room = power_room(dev.large_size(large));
    const byte_vector contents = pattern(room, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    byte_vector wanted = pattern(room, 2);
    const spoc_be_buffer target = dev.buffer(wanted);
    std::uint64_t seed = 0;
    for (const std::size_t bytes : powers_of_two(room)) {
        const std::size_t from = ++seed % 61;
        wanted =
            with_piece(std::move(wanted), power_margin, std::span(contents).subspan(from, bytes));
        const spoc_be_range range = between(source, from, target, power_margin, bytes);
        dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&range, 1}, SPOC_BE_WAIT);
        expect_bytes(with_margins(wanted, bytes), dev.download(target, 0, bytes + 2 * power_margin),
                     text("The target after ", bytes, " bytes within the device"));
    }
}

void to_device_large(device& dev, host_end end) {
    const std::uint64_t bytes = large_for(dev, end);
    const host_side source(dev, end, bytes, 1);
    const spoc_be_buffer target = dev.buffer(bytes);
    const spoc_be_range range = source.range(to_device(target, 3, nullptr, bytes - 8), 5);
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
    expect_bytes(source.bytes().subspan(5, bytes - 8), dev.download(target, 3, bytes - 8),
                 "The buffer after a large copy");
    source.expect_intact();
}

void to_host_large(device& dev, host_end end) {
    const std::uint64_t bytes = large_for(dev, end);
    const byte_vector contents = pattern(bytes, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    const host_side target(dev, end, bytes, 2);
    const spoc_be_range range = target.range(to_host(source, 3, nullptr, bytes - 8), 5);
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2H, {&range, 1}, SPOC_BE_WAIT);
    const std::span<const std::byte> sent(contents);
    expect_bytes(sent.subspan(3, bytes - 8), target.bytes().subspan(5, bytes - 8),
                 "Host memory after a large copy");
    target.expect_intact();
}

void within_large(device& dev) {
    const std::uint64_t bytes = dev.large_size(large);
    const byte_vector contents = pattern(bytes, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    const spoc_be_buffer target = dev.buffer(bytes);
    const spoc_be_range range = between(source, 3, target, 5, bytes - 8);
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&range, 1}, SPOC_BE_WAIT);
    const std::span<const std::byte> sent(contents);
    expect_bytes(sent.subspan(3, bytes - 8), dev.download(target, 5, bytes - 8),
                 "The target after a large copy");
}

/// Both ends in one buffer, next to each other without a gap.
void within_one_buffer(device& dev) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{77}, std::size_t{2048}}) {
        const byte_vector contents = pattern(2 * bytes + 7, bytes);
        const spoc_be_buffer both = dev.buffer(contents);
        const spoc_be_range range = between(both, 3, both, 3 + bytes, bytes);
        dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&range, 1}, SPOC_BE_WAIT);
        const std::span<const std::byte> sent(contents);
        expect_bytes(with_piece(contents, 3 + bytes, sent.subspan(3, bytes)),
                     dev.download(both, 0, contents.size()),
                     "The buffer after a copy to its own other part");
    }
}

/// Many ranges in one call: pieces of odd lengths, in an order that is not that of the addresses.
std::vector<piece> shuffled_pieces(std::size_t room) {
    std::vector<piece> pieces;
    std::size_t at = 0;
    for (std::size_t bytes = 1; at + bytes + 2 <= room; bytes = bytes % 61 + 1) {
        pieces.push_back({at, at + 1, bytes});
        at += bytes + 2;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        std::swap(pieces[i], pieces[i * 7919 % pieces.size()]);
    }
    return pieces;
}

void to_device_many(device& dev, host_end end) {
    const host_side source(dev, end, small_room, 1);
    const byte_vector before = pattern(small_room, 2);
    const spoc_be_buffer target = dev.buffer(before);
    byte_vector wanted = before;
    std::vector<spoc_be_range> ranges;
    for (const piece& part : shuffled_pieces(small_room)) {
        ranges.push_back(source.range(to_device(target, part.to, nullptr, part.bytes), part.from));
        wanted =
            with_piece(std::move(wanted), part.to, source.bytes().subspan(part.from, part.bytes));
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, ranges, SPOC_BE_WAIT);
    expect_bytes(wanted, dev.download(target, 0, small_room),
                 text("The buffer after ", ranges.size(), " ranges in one call"));
}

void to_host_many(device& dev, host_end end) {
    const byte_vector contents = pattern(small_room, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    const host_side target(dev, end, small_room, 2);
    byte_vector wanted(target.bytes().begin(), target.bytes().end());
    const std::span<const std::byte> sent(contents);
    std::vector<spoc_be_range> ranges;
    for (const piece& part : shuffled_pieces(small_room)) {
        ranges.push_back(target.range(to_host(source, part.from, nullptr, part.bytes), part.to));
        wanted = with_piece(std::move(wanted), part.to, sent.subspan(part.from, part.bytes));
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2H, ranges, SPOC_BE_WAIT);
    expect_bytes(wanted, target.bytes(),
                 text("Host memory after ", ranges.size(), " ranges in one call"));
    target.expect_intact();
}

void within_many(device& dev) {
    const byte_vector contents = pattern(small_room, 1);
    const byte_vector before = pattern(small_room, 2);
    const spoc_be_buffer source = dev.buffer(contents);
    const spoc_be_buffer target = dev.buffer(before);
    byte_vector wanted = before;
    const std::span<const std::byte> sent(contents);
    std::vector<spoc_be_range> ranges;
    for (const piece& part : shuffled_pieces(small_room)) {
        ranges.push_back(between(source, part.from, target, part.to, part.bytes));
        wanted = with_piece(std::move(wanted), part.to, sent.subspan(part.from, part.bytes));
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, ranges, SPOC_BE_WAIT);
    expect_bytes(wanted, dev.download(target, 0, small_room),
                 text("The target after ", ranges.size(), " ranges in one call"));
}

/// Copies on a stream, none of which waits: the order of the stream is the order of the effects.
void in_stream_order(device& dev) {
    const host_side source(dev, usual_end(dev), 4096, 1);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer first = dev.buffer(4096);
    const spoc_be_buffer second = dev.buffer(pattern(4096, 9));
    for (std::size_t round = 0; round < 64; ++round) {
        const std::size_t from = round * 37;
        const spoc_be_range up = source.range(to_device(first, 0, nullptr, 1024), from);
        dev.copy(stream, SPOC_BE_COPY_H2D, {&up, 1});
        const spoc_be_range over = between(first, 0, second, 1024, 1024);
        dev.copy(stream, SPOC_BE_COPY_D2D, {&over, 1});
    }
    dev.sync(stream);
    expect_bytes(source.bytes().subspan(std::size_t{63} * 37, 1024),
                 dev.download(second, 1024, 1024), "What the last of 64 pairs of copies left");
}

/// A device buffer is read back on its stream directly after the copy that filled it.
void round_trip_on_stream(device& dev) {
    const host_end end = usual_end(dev);
    const host_side source(dev, end, 100003, 1);
    const host_side target(dev, end, 100003, 2);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer over = dev.buffer(100003);
    const spoc_be_range up = source.range(to_device(over, 0, nullptr, 100003), 0);
    const spoc_be_range down = target.range(to_host(over, 0, nullptr, 100003), 0);
    dev.copy(stream, SPOC_BE_COPY_H2D, {&up, 1});
    dev.copy(stream, SPOC_BE_COPY_D2H, {&down, 1});
    dev.sync(stream);
    expect_bytes(source.bytes(), target.bytes(), "Host memory after the way there and back");
    target.expect_intact();
}

void add_by_host_end(case_list& cases, host_end end) {
    const std::string name = name_of(end);
    for (const std::size_t from : offsets) {
        for (const std::size_t to : {std::size_t{0}, std::size_t{1}, std::size_t{6}}) {
            const std::string where = text(name, "_", from, "_to_", to);
            cases.push_back(on_device("copy/to_device_lengths_" + where,
                                      [=](device& dev) { to_device_lengths(dev, end, from, to); }));
            cases.push_back(on_device("copy/to_host_lengths_" + where,
                                      [=](device& dev) { to_host_lengths(dev, end, from, to); }));
        }
    }
    const struct {
        const char* name;
        void (*run)(device&, host_end);
    } others[] = {{"to_device_end_", to_device_end},       {"to_host_end_", to_host_end},
                  {"to_device_large_", to_device_large},   {"to_host_large_", to_host_large},
                  {"to_device_many_", to_device_many},     {"to_host_many_", to_host_many},
                  {"to_device_powers_", to_device_powers}, {"to_host_powers_", to_host_powers}};
    for (const auto& other : others) {
        cases.push_back(on_device(text("copy/", other.name, name),
                                  [=, run = other.run](device& dev) { run(dev, end); }));
    }
}

}  // namespace

void add_copy_cases(case_list& cases) {
    for (const host_end end : host_ends) {
        add_by_host_end(cases, end);
    }
    for (const std::size_t from : offsets) {
        for (const std::size_t to : {std::size_t{0}, std::size_t{1}, std::size_t{6}}) {
            cases.push_back(on_device(text("copy/within_lengths_", from, "_to_", to),
                                      [=](device& dev) { within_lengths(dev, from, to); }));
        }
    }
    cases.push_back(on_device("copy/within_powers", within_powers));
    cases.push_back(on_device("copy/within_large", within_large));
    cases.push_back(on_device("copy/within_many", within_many));
    cases.push_back(on_device("copy/within_one_buffer", within_one_buffer));
    cases.push_back(on_device("copy/in_stream_order", in_stream_order));
    cases.push_back(on_device("copy/round_trip_on_stream", round_trip_on_stream));
}

}  // namespace spoc::conformance
