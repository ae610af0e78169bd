// SPDX-License-Identifier: Apache-2.0
#include "launch_trials.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "check.hpp"

namespace spoc::conformance {
namespace {

/// The step of argument offsets, a guess where the device does not say.
std::uint64_t offset_step(const device& dev) {
    const std::uint32_t step = dev.info.arg_offset_align;
    return step == SPOC_BE_UNKNOWN_32 ? 256 : std::max<std::uint64_t>(step, word_bytes);
}

}  // namespace

scale_work::scale_work(device& dev, std::uint32_t words, std::uint64_t seed)
    : count(words),
      contents(pattern(words * word_bytes, seed)),
      in(dev.buffer(contents)),
      out(dev.buffer(words * word_bytes)) {}

launch_request scale_work::request(const ready_kernel& kernel) const {
    return scale_request(kernel, in, out, factor, count);
}

void scale_work::expect_result(device& dev, const std::string& what) const {
    expect_bytes(scaled(contents, factor), dev.download(out, 0, contents.size()), what);
    expect_bytes(contents, dev.download(in, 0, contents.size()),
                 "What the kernel was only to read");
}

ready_kernel kernel_of(device& dev, known_kernel kernel, const extent& block) {
    return kernel_set::with(dev, kernel).get(kernel, block);
}

void try_block_size(device& dev, ready_kernel scale, std::uint32_t threads) {
    scale.block = {threads, 1, 1};
    const scale_work work(dev, 2500, threads);
    work.request(scale).run(dev, dev.default_stream, SPOC_BE_WAIT);
    work.expect_result(dev, text("What a kernel with blocks of ", threads, " threads wrote"));
}

void try_offsets(device& dev, const ready_kernel& scale, std::uint32_t from, std::uint32_t to) {
    constexpr std::uint32_t count = 100;
    constexpr std::uint64_t bytes = count * word_bytes;
    const std::uint64_t step = offset_step(dev);
    const std::uint64_t room = std::max(from, to) * step + bytes + 64;
    const byte_vector contents = pattern(room, 1);
    const byte_vector before = pattern(room, 2);
    const spoc_be_buffer in = dev.buffer(contents);
    const spoc_be_buffer out = dev.buffer(before);
    // As many bytes as are used, or all to the end.
    for (const std::uint64_t shown : {bytes, std::uint64_t{0}}) {
        dev.upload(out, 0, before);
        const std::uint32_t factor = from * 10 + to;
        launch_request request(scale, {scale.blocks(count), 1, 1});
        request.shows(in, SPOC_BE_ACCESS_READ, from * step, shown)
            .shows(out, SPOC_BE_ACCESS_WRITE, to * step, shown)
            .takes(factor)
            .takes(count);
        request.run(dev, dev.default_stream, SPOC_BE_WAIT);
        byte_vector wanted = before;
        const byte_vector written = scaled(std::span(contents).subspan(from * step, bytes), factor);
        std::copy(written.begin(), written.end(),
                  wanted.begin() + static_cast<std::ptrdiff_t>(to * step));
        expect_bytes(
            wanted, dev.download(out, 0, room),
            text("A buffer of which a kernel was shown ", bytes, " bytes from offset ", to * step));
    }
}

void expect_mirrored(device& dev, spoc_be_buffer out, std::uint32_t blocks, std::uint32_t threads) {
    std::vector<std::uint32_t> wanted(std::size_t{blocks} * threads);
    for (std::uint32_t i = 0; i < wanted.size(); ++i) {
        wanted[i] = i / threads * threads + threads - 1 - i % threads;
    }
    expect_bytes(
        bytes_of(wanted), dev.download(out, 0, wanted.size() * word_bytes),
        text("What ", blocks, " blocks of ", threads, " threads exchanged in memory of their own"));
}

void try_block_memory(device& dev, known_kernel kernel, std::uint32_t blocks) {
    const ready_kernel mirror = kernel_of(dev, kernel);
    const std::uint32_t threads = mirror.block[0];
    const std::uint64_t bytes = threads * word_bytes;
    const spoc_be_buffer out = dev.buffer(blocks * bytes);
    launch_request request(mirror, {blocks, 1, 1});
    request.shows(out, SPOC_BE_ACCESS_WRITE);
    if (kernel == known_kernel::mirror_local) {
        request.local(bytes);
    } else {
        request.shared(static_cast<std::uint32_t>(bytes));
    }
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    expect_mirrored(dev, out, blocks, threads);
}

void try_row(device& dev, std::uint32_t launches) {
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const std::array buffers{dev.buffer(bytes_of(std::vector<std::uint32_t>{1})),
                             dev.buffer(word_bytes)};
    const spoc_be_stream stream = dev.stream();
    std::uint32_t wanted = 1;
    for (std::uint32_t i = 0; i < launches; ++i) {
        const std::uint32_t factor = i % 5 + 3;
        scale_request(scale, buffers[i % 2], buffers[(i + 1) % 2], factor, 1).run(dev, stream);
        wanted *= factor;
    }
    dev.sync(stream);
    const std::uint32_t got = words_of(dev.download(buffers[launches % 2], 0, word_bytes)).front();
    require(got == wanted, "A row of ", launches,
            " launches, each on the result of the one before, left ", got, " instead of ", wanted,
            ".");
}

}  // namespace spoc::conformance
