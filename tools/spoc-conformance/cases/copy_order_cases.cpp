// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "busy_work.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "host_side.hpp"
#include "onlooker.hpp"

/// \file
/// Copies of ranges that have not all the same buffers or blocks, of very many ranges, and copies
/// that are not waited for: when the source may change, and whether what they say of themselves is
/// true.

namespace spoc::conformance {
namespace {

/* ---- many ends in one call ---- */

constexpr std::size_t parts = 10;
constexpr std::size_t part_bytes = 30;

std::span<const std::byte> part(std::span<const std::byte> whole, std::size_t number) {
    return whole.subspan(number * part_bytes, part_bytes);
}

/// Buffers with contents of their own.
std::vector<spoc_be_buffer> several(device& dev, std::uint64_t seed) {
    std::vector<spoc_be_buffer> made;
    for (std::size_t i = 0; i < parts; ++i) {
        made.push_back(dev.buffer(pattern(part_bytes, seed + i)));
    }
    return made;
}

/// Ranges of one call may name different buffers.
void several_buffers(device& dev) {
    const host_side source(dev, usual_end(dev), parts * part_bytes, 1);
    const std::vector<spoc_be_buffer> targets = several(dev, 100);
    std::vector<spoc_be_range> ranges;
    for (std::size_t i = 0; i < parts; ++i) {
        ranges.push_back(
            source.range(to_device(targets[i], 0, nullptr, part_bytes), i * part_bytes));
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, ranges, SPOC_BE_WAIT);
    for (std::size_t i = 0; i < parts; ++i) {
        expect_bytes(part(source.bytes(), i), dev.download(targets[i], 0, part_bytes),
                     text("Buffer ", i, " of one call"));
    }
}

void several_buffers_to_host(device& dev) {
    const std::vector<spoc_be_buffer> sources = several(dev, 100);
    const host_side target(dev, usual_end(dev), parts * part_bytes, 1);
    std::vector<spoc_be_range> ranges;
    for (std::size_t i = 0; i < parts; ++i) {
        ranges.push_back(target.range(to_host(sources[i], 0, nullptr, part_bytes), i * part_bytes));
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2H, ranges, SPOC_BE_WAIT);
    for (std::size_t i = 0; i < parts; ++i) {
        expect_bytes(pattern(part_bytes, 100 + i), part(target.bytes(), i),
                     text("What came from buffer ", i, " of one call"));
    }
    target.expect_intact();
}

void several_buffers_within(device& dev) {
    const std::vector<spoc_be_buffer> sources = several(dev, 100);
    const std::vector<spoc_be_buffer> targets = several(dev, 200);
    std::vector<spoc_be_range> ranges;
    for (std::size_t i = 0; i < parts; ++i) {
        ranges.push_back(between(sources[i], 0, targets[parts - 1 - i], 0, part_bytes));
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, ranges, SPOC_BE_WAIT);
    for (std::size_t i = 0; i < parts; ++i) {
        expect_bytes(pattern(part_bytes, 100 + i),
                     dev.download(targets[parts - 1 - i], 0, part_bytes),
                     text("The buffer to which buffer ", i, " of one call went"));
    }
}

/// Ranges of one call may lie in different page-locked blocks.
void several_blocks(device& dev) {
    const host_side first(dev, host_end::page_locked, 3000, 1);
    const host_side second(dev, host_end::page_locked, 5000, 2);
    const spoc_be_buffer over = dev.buffer(std::uint64_t{8000});
    const spoc_be_range up[] = {first.range(to_device(over, 0, nullptr, 3000), 0),
                                second.range(to_device(over, 3000, nullptr, 5000), 0)};
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, up, SPOC_BE_WAIT);
    byte_vector wanted = pattern(3000, 1);
    const byte_vector rest = pattern(5000, 2);
    wanted.insert(wanted.end(), rest.begin(), rest.end());
    expect_bytes(wanted, dev.download(over, 0, wanted.size()),
                 "The buffer after a copy from two page-locked blocks");
    const spoc_be_range down[] = {first.range(to_host(over, 5000, nullptr, 3000), 0),
                                  second.range(to_host(over, 0, nullptr, 5000), 0)};
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2H, down, SPOC_BE_WAIT);
    const std::span<const std::byte> sent(wanted);
    expect_bytes(sent.subspan(5000, 3000), first.bytes(),
                 "The first page-locked block after a copy to two");
    expect_bytes(sent.first(5000), second.bytes(),
                 "The second page-locked block after a copy to two");
    first.expect_intact();
    second.expect_intact();
}

constexpr std::size_t very_many = 5000;
constexpr std::size_t stride = 4;

/// More ranges than any list of a fixed length holds, in one call of each kind: three bytes of
/// every four.
void thousands_of_ranges(device& dev) {
    constexpr std::size_t bytes = very_many * stride;
    const host_side source(dev, usual_end(dev), bytes, 1);
    const host_side target(dev, usual_end(dev), bytes, 2);
    const byte_vector kept = pattern(bytes, 2);
    const spoc_be_buffer first = dev.buffer(kept);
    const spoc_be_buffer second = dev.buffer(kept);
    std::vector<spoc_be_range> up;
    std::vector<spoc_be_range> over;
    std::vector<spoc_be_range> down;
    for (std::size_t at = 0; at < bytes; at += stride) {
        up.push_back(source.range(to_device(first, at, nullptr, stride - 1), at));
        over.push_back(between(first, at, second, at, stride - 1));
        down.push_back(target.range(to_host(second, at, nullptr, stride - 1), at));
    }
    byte_vector wanted(source.bytes().begin(), source.bytes().end());
    for (std::size_t at = stride - 1; at < bytes; at += stride) {
        wanted[at] = kept[at];
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, up, SPOC_BE_WAIT);
    expect_bytes(wanted, dev.download(first, 0, bytes),
                 text("The buffer after ", very_many, " ranges in one call"));
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, over, SPOC_BE_WAIT);
    expect_bytes(wanted, dev.download(second, 0, bytes),
                 text("The target after ", very_many, " ranges in one call"));
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2H, down, SPOC_BE_WAIT);
    expect_bytes(wanted, target.bytes(),
                 text("Host memory after ", very_many, " ranges in one call"));
}

/* ---- sources that may change ---- */

/// Sizes for CONSUME_HOST: a small one, the largest, and one step less. Skips where there is none.
std::vector<std::size_t> consumed_sizes(const device& dev) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    if (dev.info.inline_write == 0 || dev.info.inline_write == SPOC_BE_UNKNOWN_64) {
        skip("The device takes no range with CONSUME_HOST.");
    }
    const std::size_t step = dev.info.inline_align == SPOC_BE_UNKNOWN_32
                                 ? 4
                                 : std::max<std::size_t>(dev.info.inline_align, 1);
    const std::size_t steps = std::min(dev.info.inline_write, most) / step;
    if (steps == 0) {
        skip("The device takes no whole step of a range with CONSUME_HOST.");
    }
    return {std::min<std::size_t>(steps, 64) * step, std::max<std::size_t>(steps - 1, 1) * step,
            steps * step};
}

/// A copy whose source changes when the call returns.
spoc_be_buffer copy_and_spoil(device& dev, spoc_be_stream stream, byte_vector& source) {
    const spoc_be_buffer target = dev.buffer(source.size());
    const spoc_be_range range = to_device(target, 0, source.data(), source.size());
    const std::uint32_t done =
        dev.copy(stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_CONSUME_HOST);
    require(done != SPOC_BE_DONE_NOTHING,
            "copy took the source with CONSUME_HOST and says that it still needs it.");
    std::fill(source.begin(), source.end(), std::byte{0xEE});
    return target;
}

/// With CONSUME_HOST the source may change as soon as the call returns.
void consumed_source(device& dev) {
    constexpr std::uint64_t rounds = 30;
    const std::vector<std::size_t> sizes = consumed_sizes(dev);
    const spoc_be_stream stream = dev.stream();
    std::vector<spoc_be_buffer> targets;
    byte_vector source;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        source = pattern(sizes[round % sizes.size()], round);
        targets.push_back(copy_and_spoil(dev, stream, source));
    }
    dev.sync(stream);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::size_t bytes = sizes[round % sizes.size()];
        expect_bytes(
            pattern(bytes, round), dev.download(targets[round], 0, bytes),
            text("Buffer ", round, ", whose source of ", bytes, " bytes changed after the call"));
    }
}

/// The same while the stream has something else to do first.
void consumed_source_behind_work(device& dev) {
    const std::vector<std::size_t> sizes = consumed_sizes(dev);
    busy_work work(dev);
    const spoc_be_stream stream = dev.stream();
    std::vector<spoc_be_buffer> targets;
    std::vector<byte_vector> sources;
    work.start(stream);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sources.push_back(pattern(sizes[i], i));
        targets.push_back(copy_and_spoil(dev, stream, sources.back()));
    }
    dev.sync(stream);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        expect_bytes(pattern(sizes[i], i), dev.download(targets[i], 0, sizes[i]),
                     text("A buffer behind other work, whose source of ", sizes[i],
                          " bytes changed after the call"));
    }
}

/* ---- what a copy says of itself ---- */

/// DONE_HOST or more, and the host end is free.
void done_is_true_for_the_source(device& dev) {
    const std::uint64_t most = dev.large_size(std::uint64_t{1} << 22);
    const host_side source(dev, usual_end(dev), dev.large_pinned_size(most), 1);
    const spoc_be_stream stream = dev.stream();
    const byte_vector sent(source.bytes().begin(), source.bytes().end());
    const spoc_be_buffer target = dev.buffer(sent.size());
    const spoc_be_range range = source.range(to_device(target, 0, nullptr, sent.size()), 0);
    const std::uint32_t done = dev.copy(stream, SPOC_BE_COPY_H2D, {&range, 1});
    if (done == SPOC_BE_DONE_NOTHING) {
        dev.sync(stream);
    }
    std::memset(source.bytes().data(), 0xEE, sent.size());
    dev.sync(stream);
    expect_bytes(sent, dev.download(target, 0, sent.size()),
                 "The buffer, whose source changed when the call said that it may");
}

constexpr int done_rounds = 3;

/// A copy to the device, behind other work: DONE_ALL, and another stream sees it.
void done_is_true_to_device(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const host_side source(dev, usual_end(dev), done_rounds * word_bytes, 1);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer target = dev.buffer(word_bytes);
    for (std::size_t round = 0; round < done_rounds; ++round) {
        work.start(stream);
        const spoc_be_range range =
            source.range(to_device(target, 0, nullptr, word_bytes), round * word_bytes);
        const std::uint32_t done = dev.copy(stream, SPOC_BE_COPY_H2D, {&range, 1});
        if (done != SPOC_BE_DONE_ALL) {
            dev.sync(stream);
        }
        expect_bytes(source.bytes().subspan(round * word_bytes, word_bytes),
                     eyes.read(target, 0, word_bytes),
                     done == SPOC_BE_DONE_ALL ? "What another stream reads after DONE_ALL"
                                              : "What another stream reads after stream_sync");
        dev.sync(stream);
    }
}

/// A copy to the host, behind the work that makes what it takes: DONE_HOST or more, and it is there
/// and is not written again.
void done_is_true_to_host(device& dev) {
    busy_work work(dev);
    const host_side target(dev, usual_end(dev), word_bytes, 1);
    const spoc_be_stream stream = dev.stream();
    const byte_vector marker(word_bytes, std::byte{0xEE});
    for (int round = 0; round < done_rounds; ++round) {
        std::copy(marker.begin(), marker.end(), target.bytes().begin());
        work.start(stream);
        const spoc_be_range range = target.range(to_host(work.target(), 0, nullptr, word_bytes), 0);
        const std::uint32_t done = dev.copy(stream, SPOC_BE_COPY_D2H, {&range, 1});
        if (done == SPOC_BE_DONE_NOTHING) {
            dev.sync(stream);
        }
        std::uint32_t got = 0;
        std::memcpy(&got, target.bytes().data(), sizeof got);
        require(got == work.word(), "After a copy to the host ",
                done == SPOC_BE_DONE_NOTHING ? "and stream_sync" : "said that it is done with it",
                ", host memory holds the word ", got, " instead of ", work.word(), ".");
        std::copy(marker.begin(), marker.end(), target.bytes().begin());
        dev.sync(stream);
        expect_bytes(marker, target.bytes(),
                     "Host memory that was written when the copy said that it may be");
    }
}

/// A copy within the device, behind the work that makes what it takes.
void done_is_true_within(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer kept = dev.buffer(word_bytes);
    for (int round = 0; round < done_rounds; ++round) {
        work.start(stream);
        const spoc_be_range range = between(work.target(), 0, kept, 0, word_bytes);
        const std::uint32_t done = dev.copy(stream, SPOC_BE_COPY_D2D, {&range, 1});
        if (done != SPOC_BE_DONE_ALL) {
            dev.sync(stream);
        }
        work.expect_word(eyes, kept,
                         done == SPOC_BE_DONE_ALL ? "After a copy within the device said DONE_ALL"
                                                  : "After stream_sync");
        dev.sync(stream);
    }
}

}  // namespace

void add_copy_order_cases(case_list& cases) {
    const struct {
        const char* name;
        void (*run)(device&);
    } all[] = {
        {"several_buffers", several_buffers},
        {"several_buffers_to_host", several_buffers_to_host},
        {"several_buffers_within", several_buffers_within},
        {"several_blocks", several_blocks},
        {"thousands_of_ranges", thousands_of_ranges},
        {"consumed_source", consumed_source},
        {"consumed_source_behind_work", consumed_source_behind_work},
        {"done_is_true_for_the_source", done_is_true_for_the_source},
        {"done_is_true_to_device", done_is_true_to_device},
        {"done_is_true_to_host", done_is_true_to_host},
        {"done_is_true_within", done_is_true_within},
    };
    for (const auto& each : all) {
        cases.push_back(on_device(std::string("copy/") + each.name, each.run));
    }
}

}  // namespace spoc::conformance
