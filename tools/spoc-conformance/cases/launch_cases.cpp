// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "busy_work.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "kernels.hpp"
#include "launch_request.hpp"
#include "launch_trials.hpp"
#include "onlooker.hpp"

/// \file
/// Launches, with the suite's kernels in the first format that the device takes: results, geometry,
/// arguments, order, and what may end or change while a launch is pending.

namespace spoc::conformance {
namespace {

void odd_sizes(device& dev) {
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    for (const std::uint32_t count : {1U, 63U, 64U, 65U, 257U, 4097U}) {
        const scale_work work(dev, count, count);
        work.request(scale).run(dev, dev.default_stream, SPOC_BE_WAIT);
        work.expect_result(dev, text("What a kernel wrote over ", count, " words"));
    }
}

/// Every size of block that the device allows, and more threads than there is work.
void block_sizes(device& dev) {
    dev.need(SPOC_BE_CAP_FREE_BLOCK);
    const ready_kernel scale = kernel_of(dev, known_kernel::scale, {1, 1, 1});
    const spoc_be_kernel_info info = kernel_info(dev, scale.handle);
    if (info.fixed_block[0] != 0) {
        skip("The kernel's block is fixed by its program.");
    }
    const std::uint32_t most =
        std::min({info.max_block_threads, dev.info.max_block_threads, dev.info.max_block[0]});
    const std::uint32_t largest = most == SPOC_BE_UNKNOWN_32 ? 128 : most;
    for (const std::uint32_t threads : {1U, 2U, 31U, 32U, 33U, 100U, 128U, largest - 1, largest}) {
        if (threads == 0 || threads > largest) {
            continue;
        }
        try_block_size(dev, scale, threads);
    }
}

constexpr std::uint32_t place_words = 16;

/// What the thread at `at` of a launch writes with `who`.
std::array<std::uint32_t, place_words> place_of(const extent& at, const extent& grid,
                                                const extent& block) {
    std::array<std::uint32_t, place_words> words{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        words[axis] = at[axis];
        words[3 + axis] = at[axis] / block[axis];
        words[6 + axis] = at[axis] % block[axis];
        words[9 + axis] = grid[axis];
        words[12 + axis] = block[axis];
    }
    words[15] = 1;
    return words;
}

void check_places(std::span<const std::uint32_t> got, const extent& grid, const extent& block) {
    constexpr std::array names{"place in the grid", "block", "place in the block",
                               "number of blocks", "size of a block"};
    const extent all{grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]};
    std::size_t next = 0;
    extent at{};
    for (at[2] = 0; at[2] < all[2]; ++at[2]) {
        for (at[1] = 0; at[1] < all[1]; ++at[1]) {
            for (at[0] = 0; at[0] < all[0]; ++at[0]) {
                for (const std::uint32_t wanted : place_of(at, grid, block)) {
                    const std::size_t word = next % place_words;
                    require(word + 1 < place_words || got[next] == wanted, "Thread (", at[0], ", ",
                            at[1], ", ", at[2], ") ran ", got[next], " times.");
                    require(got[next] == wanted, "Thread (", at[0], ", ", at[1], ", ", at[2],
                            ") says ", got[next], " instead of ", wanted, " for its ",
                            names[std::min<std::size_t>(word / 3, 4)], " in ", "xyz"[word % 3],
                            ".");
                    ++next;
                }
            }
        }
    }
}

void try_geometry(device& dev, const ready_kernel& who, const extent& grid) {
    std::uint64_t words = std::uint64_t{who.threads()} * place_words;
    for (const std::uint32_t blocks : grid) {
        words *= blocks;
    }
    const spoc_be_buffer out = dev.buffer(byte_vector(words * word_bytes));
    launch_request request(who, grid);
    request.shows(out, SPOC_BE_ACCESS_READ_WRITE);
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    check_places(words_of(dev.download(out, 0, words * word_bytes)), grid, who.block);
    dev.destroy(out);
}

void geometry(device& dev, const extent& block) {
    const ready_kernel who = kernel_of(dev, known_kernel::who, block);
    for (const extent& grid :
         {extent{1, 1, 1}, extent{7, 1, 1}, extent{1, 5, 1}, extent{1, 1, 3}, extent{3, 5, 2}}) {
        bool fits = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            fits = fits && grid[axis] <= dev.info.max_grid[axis];
        }
        if (fits) {
            try_geometry(dev, who, grid);
        }
    }
}

/// Blocks as long as the device allows in one direction.
void longest_blocks(device& dev) {
    dev.need(SPOC_BE_CAP_FREE_BLOCK);
    ready_kernel who = kernel_of(dev, known_kernel::who, {1, 1, 1});
    const spoc_be_kernel_info info = kernel_info(dev, who.handle);
    if (info.fixed_block[0] != 0) {
        skip("The kernel's block is fixed by its program.");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::uint32_t most = std::min(
            {info.max_block_threads, dev.info.max_block_threads, dev.info.max_block[axis]});
        who.block = {1, 1, 1};
        who.block[axis] = most == SPOC_BE_UNKNOWN_32 ? 32 : most;
        try_geometry(dev, who, {2, 1, 1});
    }
}

/// More blocks than 16 bits can count along x, and more than 10 along y and z, as far as the device
/// allows them.
void wide_grids(device& dev) {
    constexpr std::uint32_t least_x = 65535;
    constexpr std::uint32_t wanted_yz = 2048;
    const auto allowed = [&dev](std::size_t axis, std::uint32_t wanted, std::uint32_t otherwise) {
        const std::uint32_t most = dev.info.max_grid[axis];
        return most == SPOC_BE_UNKNOWN_32 ? otherwise : std::min(most, wanted);
    };
    const ready_kernel scale = kernel_of(dev, known_kernel::scale, {1, 1, 1});
    const scale_work work(dev, allowed(0, least_x + 3, least_x) * scale.threads(), 1);
    work.request(scale).run(dev, dev.default_stream, SPOC_BE_WAIT);
    work.expect_result(dev, text("What a kernel wrote in ", scale.blocks(work.count), " blocks"));
    const ready_kernel who = kernel_of(dev, known_kernel::who, {1, 1, 1});
    try_geometry(dev, who, {1, allowed(1, wanted_yz, wanted_yz), 1});
    try_geometry(dev, who, {1, 1, allowed(2, wanted_yz, 64)});
}

/// Scalar memory changes as soon as the call returned, launch after launch, each with other
/// scalars and other buffers.
void arguments_are_copied(device& dev) {
    constexpr std::uint32_t launches = 200;
    constexpr std::uint32_t words = 32;
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const byte_vector contents = pattern(words * word_bytes, 1);
    const spoc_be_buffer in = dev.buffer(contents);
    const spoc_be_stream stream = dev.stream();
    std::vector<spoc_be_buffer> outs;
    std::array<std::uint32_t, 2> scalars{};
    for (std::uint32_t i = 0; i < launches; ++i) {
        outs.push_back(dev.buffer(words * word_bytes));
        scalars = {i * 17 + 1, words};
        launch_request request(scale, {scale.blocks(words), 1, 1});
        request.shows(in, SPOC_BE_ACCESS_READ)
            .shows(outs.back(), SPOC_BE_ACCESS_WRITE)
            .takes(scalars[0])
            .takes(scalars[1]);
        request.run(dev, stream);
        scalars.fill(1);
    }
    dev.sync(stream);
    for (std::uint32_t i = 0; i < launches; ++i) {
        expect_bytes(scaled(contents, i * 17 + 1), dev.download(outs[i], 0, words * word_bytes),
                     text("What launch ", i, " of ", launches,
                          " wrote, whose scalars changed after the call"));
    }
}

void wide_scalars(device& dev) {
    struct triple {
        std::uint32_t a;
        std::uint32_t b;
        std::uint32_t c;
    };
    const ready_kernel wide = kernel_of(dev, known_kernel::wide, {1, 1, 1});
    // From an odd address: only the bytes count.
    std::array<std::byte, 1 + sizeof(std::uint64_t) + sizeof(triple)> bytes{};
    const std::uint64_t value = 0x0123456789ABCDEF;
    const triple three{0x11223344, 0x55667788, 0x99AABBCC};
    std::memcpy(bytes.data() + 1, &value, sizeof value);
    std::memcpy(bytes.data() + 1 + sizeof value, &three, sizeof three);
    const std::span<const std::byte> given(bytes);
    const spoc_be_buffer out = dev.buffer(5 * word_bytes);
    launch_request request(wide, {1, 1, 1});
    request.shows(out, SPOC_BE_ACCESS_WRITE)
        .takes_bytes(given.subspan(1, sizeof value))
        .takes_bytes(given.subspan(1 + sizeof value, sizeof three));
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    const std::vector<std::uint32_t> wanted{0x89ABCDEF, 0x01234567, three.a, three.b, three.c};
    expect_bytes(bytes_of(wanted), dev.download(out, 0, 5 * word_bytes),
                 "What a kernel made of an 8-byte scalar and a record of 12 bytes");
}

void offsets(device& dev) {
    dev.need(SPOC_BE_CAP_ARG_OFFSET);
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    for (const auto& [from, to] : {std::pair{0U, 1U}, {1U, 0U}, {3U, 8U}, {8U, 5U}}) {
        try_offsets(dev, scale, from, to);
    }
}

/// What lies behind the words that a kernel is to write stays as it was.
void canaries(device& dev) {
    constexpr std::uint32_t room_words = 4096;
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const byte_vector contents = pattern(room_words * word_bytes, 1);
    const byte_vector before = pattern(room_words * word_bytes, 2);
    const spoc_be_buffer in = dev.buffer(contents);
    const spoc_be_buffer out = dev.buffer(before);
    for (const std::uint32_t count : {1U, 257U, 4095U}) {
        dev.upload(out, 0, before);
        scale_request(scale, in, out, 9, count).run(dev, dev.default_stream, SPOC_BE_WAIT);
        byte_vector wanted = scaled(std::span(contents).first(count * word_bytes), 9);
        wanted.insert(wanted.end(), before.begin() + static_cast<std::ptrdiff_t>(wanted.size()),
                      before.end());
        expect_bytes(wanted, dev.download(out, 0, wanted.size()),
                     text("A buffer of which a kernel was to write ", count, " words"));
    }
}

void local_arguments(device& dev) {
    dev.need(SPOC_BE_CAP_LOCAL_ARGS);
    try_block_memory(dev, known_kernel::mirror_local, 1);
    try_block_memory(dev, known_kernel::mirror_local, 100);
}

void dynamic_shared(device& dev) {
    dev.need(SPOC_BE_CAP_DYNAMIC_SHARED);
    try_block_memory(dev, known_kernel::mirror_shared, 1);
    try_block_memory(dev, known_kernel::mirror_shared, 100);
}

/// As much shared memory as the device says that a block can have.
void most_shared(device& dev) {
    dev.need(SPOC_BE_CAP_DYNAMIC_SHARED);
    const std::uint64_t most = dev.info.shared_per_block;
    if (most == SPOC_BE_UNKNOWN_64) {
        skip("The device does not say how much shared memory a block can have.");
    }
    const ready_kernel mirror = kernel_of(dev, known_kernel::mirror_shared);
    const std::uint64_t bytes = mirror.block[0] * word_bytes;
    require(most >= bytes && most <= SPOC_BE_UNKNOWN_32, "The device says that a block has ", most,
            " bytes of shared memory, and offers it at launch.");
    const spoc_be_buffer out = dev.buffer(2 * bytes);
    launch_request request(mirror, {2, 1, 1});
    request.shows(out, SPOC_BE_ACCESS_WRITE).shared(static_cast<std::uint32_t>(most));
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    expect_mirrored(dev, out, 2, mirror.block[0]);
}

/// DONE_ALL, with WAIT or without, means that everybody sees the effect.
void done_is_true(device& dev, std::uint32_t flags) {
    kernel_set kernels = kernel_set::with(dev, known_kernel::spin);
    const ready_kernel spin = kernels.get(known_kernel::spin, {1, 1, 1});
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer out = dev.buffer(word_bytes);
    const std::uint32_t rounds = 2000000;
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        const std::uint32_t done = spin_request(spin, out, seed, rounds).run(dev, stream, flags);
        if (done != SPOC_BE_DONE_ALL) {
            dev.sync(stream);
        }
        const std::uint32_t got = eyes.read_word(out);
        const std::uint32_t wanted = spun(seed, rounds);
        require(got == wanted, "After launch said ",
                done == SPOC_BE_DONE_ALL ? "DONE_ALL" : "less and stream_sync OK",
                ", another stream reads ", got, " instead of ", wanted, ".");
    }
}

/// A launch follows the work of its own stream.
void on_its_own_stream(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer out = dev.buffer(word_bytes);
    for (std::uint32_t round = 0; round < 3; ++round) {
        work.start(stream);
        scale_request(scale, work.target(), out, round + 2, 1).run(dev, stream);
        dev.sync(stream);
        const std::uint32_t got = eyes.read_word(out);
        const std::uint32_t wanted = work.word() * (round + 2);
        require(got == wanted, "A launch after other work of its stream left ", got, " instead of ",
                wanted, ": it did not wait for that work.");
    }
}

/// The default stream is at work; a launch beside it is seen by its own stream.
void beside_the_default_stream(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const scale_work small(dev, 257, 1);
    work.start(dev.default_stream);
    small.request(scale).run(dev, eyes.stream());
    expect_bytes(scaled(small.contents, small.factor),
                 eyes.read(small.out, 0, small.contents.size()),
                 "What a launch beside the busy default stream wrote, read on its own stream");
    dev.sync(dev.default_stream);
    work.expect_done(eyes, "After stream_sync of the default stream");
}

void several_in_flight(device& dev) {
    kernel_set kernels = kernel_set::with(dev, known_kernel::spin);
    const ready_kernel spin = kernels.get(known_kernel::spin, {1, 1, 1});
    const ready_kernel scale = kernels.get(known_kernel::scale);
    constexpr std::uint32_t lanes = 4;
    constexpr std::uint32_t rounds = 500000;
    struct lane {
        spoc_be_stream stream;
        spoc_be_buffer word;
        spoc_be_buffer out;
    };
    std::vector<lane> all;
    for (std::uint32_t i = 0; i < lanes; ++i) {
        all.push_back({dev.stream(), dev.buffer(word_bytes), dev.buffer(word_bytes)});
    }
    for (std::uint32_t turn = 0; turn < 3; ++turn) {
        for (std::uint32_t i = 0; i < lanes; ++i) {
            spin_request(spin, all[i].word, turn * lanes + i, rounds).run(dev, all[i].stream);
            scale_request(scale, all[i].word, all[i].out, i + 2, 1).run(dev, all[i].stream);
        }
    }
    for (std::uint32_t i = 0; i < lanes; ++i) {
        dev.sync(all[i].stream);
        const std::uint32_t got = words_of(dev.download(all[i].out, 0, word_bytes)).front();
        const std::uint32_t wanted = spun(2 * lanes + i, rounds) * (i + 2);
        require(got == wanted, "Stream ", i, " of ", lanes, " at once left ", got, " instead of ",
                wanted, ".");
    }
}

/// A buffer ends while a launch that reads it is pending, and other buffers are made at once.
void buffer_destroyed_while_pending(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const spoc_be_stream stream = dev.stream();
    const scale_work small(dev, 4097, 1);
    work.start(stream);
    small.request(scale).run(dev, stream);
    dev.destroy(small.in);
    const byte_vector other = pattern(small.contents.size(), 99);
    for (int i = 0; i < 8; ++i) {
        eyes.write(dev.buffer(other.size()), 0, other);
    }
    dev.sync(stream);
    expect_bytes(scaled(small.contents, small.factor),
                 eyes.read(small.out, 0, small.contents.size()),
                 "What a launch wrote whose input was destroyed while it was pending");
    work.expect_done(eyes, "After stream_sync");
}

/// A buffer ends while a launch that writes it is pending; nobody else's memory changes.
void target_destroyed_while_pending(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const spoc_be_stream stream = dev.stream();
    const scale_work small(dev, 4097, 1);
    work.start(stream);
    small.request(scale).run(dev, stream);
    dev.destroy(small.out);
    const byte_vector other = pattern(small.contents.size(), 99);
    std::vector<spoc_be_buffer> others;
    for (int i = 0; i < 8; ++i) {
        others.push_back(dev.buffer(other.size()));
        eyes.write(others.back(), 0, other);
    }
    dev.sync(stream);
    for (const spoc_be_buffer buffer : others) {
        expect_bytes(other, eyes.read(buffer, 0, other.size()),
                     "A buffer made while a launch into a destroyed one was pending");
    }
}

std::int32_t wait_for(const device& dev, spoc_be_buffer buffer, std::uint32_t access,
                      std::uint64_t timeout_ns) {
    auto error = sized<spoc_be_error>();
    const std::int32_t status = expect_ready_or_not(
        dev.be.buffer_wait(buffer, access, timeout_ns, &error), "buffer_wait", error);
    require(status == SPOC_BE_OK || timeout_ns != SPOC_BE_FOREVER,
            "buffer_wait says NOT_READY although it was to wait for ever.");
    return status;
}

void need_tracking(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_TRACKED);
    require(dev.be.buffer_wait != nullptr,
            "The device offers to track the users of buffers without the entry buffer_wait.");
}

void wait_for_unused(device& dev) {
    need_tracking(dev);
    const spoc_be_buffer buffer = dev.buffer(4096);
    for (const std::uint32_t access :
         {SPOC_BE_ACCESS_READ, SPOC_BE_ACCESS_WRITE, SPOC_BE_ACCESS_READ_WRITE}) {
        for (const std::uint64_t timeout :
             {SPOC_BE_NO_WAIT, std::uint64_t{1000}, SPOC_BE_FOREVER}) {
            require(wait_for(dev, buffer, access, timeout) == SPOC_BE_OK,
                    "buffer_wait says NOT_READY of a buffer that nothing uses.");
        }
    }
}

/// OK means that the writer is through, whatever the access waited for.
void wait_for_writer(device& dev, std::uint64_t timeout_ns) {
    need_tracking(dev);
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    for (const std::uint32_t access :
         {SPOC_BE_ACCESS_READ, SPOC_BE_ACCESS_WRITE, SPOC_BE_ACCESS_READ_WRITE}) {
        work.start(stream);
        while (wait_for(dev, work.target(), access, timeout_ns) == SPOC_BE_NOT_READY) {
        }
        work.expect_done(eyes, "After buffer_wait said OK");
    }
}

/// A wait for WRITE is for readers too: the input may change after it.
void wait_for_reader(device& dev) {
    need_tracking(dev);
    busy_work work(dev);
    onlooker eyes(dev);
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const spoc_be_stream stream = dev.stream();
    const scale_work small(dev, 257, 1);
    work.start(stream);
    small.request(scale).run(dev, stream);
    wait_for(dev, small.in, SPOC_BE_ACCESS_WRITE, SPOC_BE_FOREVER);
    eyes.write(small.in, 0, pattern(small.contents.size(), 99));
    dev.sync(stream);
    expect_bytes(scaled(small.contents, small.factor),
                 eyes.read(small.out, 0, small.contents.size()),
                 "What a launch wrote whose input changed after buffer_wait");
}

/// A refused launch has done nothing, and the stream is as good as before.
void expect_refused(device& dev, std::int32_t wanted,
                    const std::function<void(spoc_be_launch&)>& spoil) {
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const scale_work work(dev, 257, 1);
    const byte_vector before = pattern(work.contents.size(), 5);
    dev.upload(work.out, 0, before);
    const launch_request request = work.request(scale);
    spoc_be_launch launch = request.request();
    spoil(launch);
    std::uint32_t done = SPOC_BE_DONE_NOTHING;
    auto error = sized<spoc_be_error>();
    expect_status(wanted, dev.be.launch(dev.default_stream, &launch, &done, &error), "launch",
                  error);
    require(done == SPOC_BE_DONE_ALL, "launch refused the request and says done ", done,
            ", as if a part of it were in flight.");
    dev.sync(dev.default_stream);
    expect_bytes(before, dev.download(work.out, 0, before.size()),
                 "The target of a launch that was refused");
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    work.expect_result(dev, "What the same launch wrote when nothing was wrong with it");
}

void unknown_flag(device& dev) {
    expect_refused(dev, SPOC_BE_UNSUPPORTED,
                   [](spoc_be_launch& launch) { launch.flags = 1U << 30; });
}

void required_extension(device& dev) {
    const spoc_be_ext must{SPOC_BE_EXT_REQUIRED | 0x1234, sizeof(spoc_be_ext), nullptr};
    const spoc_be_ext may{0x1234, sizeof(spoc_be_ext), &must};
    expect_refused(dev, SPOC_BE_EXTENSION, [&may](spoc_be_launch& launch) { launch.ext = &may; });
}

/// An extension that need not be understood, and tags of every sort, change nothing.
void tags_and_extensions(device& dev) {
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const spoc_be_ext may{0x1234, sizeof(spoc_be_ext), nullptr};
    const scale_work work(dev, 257, 1);
    const launch_request request = work.request(scale);
    for (const std::uint64_t tag :
         {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{7}, SPOC_BE_UNKNOWN_64}) {
        dev.upload(work.out, 0, pattern(work.contents.size(), 5));
        spoc_be_launch launch = request.request(SPOC_BE_WAIT);
        launch.tag = tag;
        launch.ext = &may;
        std::uint32_t done = SPOC_BE_DONE_NOTHING;
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, dev.be.launch(dev.default_stream, &launch, &done, &error),
                      "launch", error);
        work.expect_result(dev, text("What a launch with the tag ", tag, " wrote"));
    }
}

/// More launches in a row than any plugin holds back in one batch.
void long_row(device& dev) { try_row(dev, 2000); }

void add_pending_cases(case_list& cases) {
    cases.push_back(on_device("launch/on_its_own_stream", on_its_own_stream));
    cases.push_back(on_device("launch/beside_the_default_stream", beside_the_default_stream));
    cases.push_back(on_device("launch/several_in_flight", several_in_flight));
    cases.push_back(on_device("launch/long_row", long_row));
    cases.push_back(
        on_device("launch/buffer_destroyed_while_pending", buffer_destroyed_while_pending));
    cases.push_back(
        on_device("launch/target_destroyed_while_pending", target_destroyed_while_pending));
    cases.push_back(on_device("launch/wait_for_unused", wait_for_unused));
    cases.push_back(on_device("launch/wait_for_writer",
                              [](device& dev) { wait_for_writer(dev, SPOC_BE_FOREVER); }));
    cases.push_back(on_device("launch/wait_for_writer_polling",
                              [](device& dev) { wait_for_writer(dev, SPOC_BE_NO_WAIT); }));
    cases.push_back(on_device("launch/wait_for_writer_short_time_out",
                              [](device& dev) { wait_for_writer(dev, 1000000); }));
    cases.push_back(on_device("launch/wait_for_reader", wait_for_reader));
}

}  // namespace

void add_launch_cases(case_list& cases) {
    cases.push_back(on_device("launch/odd_sizes", odd_sizes));
    cases.push_back(on_device("launch/block_sizes", block_sizes));
    cases.push_back(on_device("launch/geometry_x", [](device& dev) { geometry(dev, {8, 1, 1}); }));
    cases.push_back(on_device("launch/geometry_xy", [](device& dev) { geometry(dev, {5, 3, 1}); }));
    cases.push_back(on_device("launch/geometry_xyz", [](device& dev) {
        geometry(dev, {4, 2, 3});
    }));
    cases.push_back(on_device("launch/longest_blocks", longest_blocks));
    cases.push_back(on_device("launch/wide_grids", wide_grids));
    cases.push_back(on_device("launch/arguments_are_copied", arguments_are_copied));
    cases.push_back(on_device("launch/wide_scalars", wide_scalars));
    cases.push_back(on_device("launch/offsets", offsets));
    cases.push_back(on_device("launch/canaries", canaries));
    cases.push_back(on_device("launch/local_arguments", local_arguments));
    cases.push_back(on_device("launch/dynamic_shared", dynamic_shared));
    cases.push_back(on_device("launch/most_shared", most_shared));
    cases.push_back(on_device("launch/done_is_true", [](device& dev) { done_is_true(dev, 0); }));
    cases.push_back(
        on_device("launch/wait_means_done", [](device& dev) { done_is_true(dev, SPOC_BE_WAIT); }));
    add_pending_cases(cases);
    cases.push_back(on_device("launch/unknown_flag", unknown_flag));
    cases.push_back(on_device("launch/required_extension", required_extension));
    cases.push_back(on_device("launch/tags_and_extensions", tags_and_extensions));
}

}  // namespace spoc::conformance
