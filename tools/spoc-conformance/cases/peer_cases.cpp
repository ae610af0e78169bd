// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "busy_work.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "onlooker.hpp"

/// \file
/// Copies between two devices of the backend.

namespace spoc::conformance {
namespace {

std::uint32_t ask(device& source, device& target) {
    std::uint32_t flags = ~std::uint32_t{0};
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, target.be.peer_query(source.handle, target.handle, &flags, &error),
                  "peer_query", error);
    require((flags & ~(SPOC_BE_PEER_COPY | SPOC_BE_PEER_DIRECT | SPOC_BE_PEER_EVENTS)) == 0,
            "peer_query answered with bits that have no meaning: ", flags, ".");
    return flags;
}

/// Runs `run(source, target)` with the device under test as the target and another as the source.
template <typename Run>
void with_another_device(device& target, Run run) {
    target.need(SPOC_BE_CAP_PEER_COPY);
    const std::uint32_t other = target.index == 0 ? 1 : 0;
    if (other >= target.owner.device_count()) {
        skip("The backend has one device only.");
    }
    device source(target.owner, other);
    const std::uint32_t flags = ask(source, target);
    if ((flags & SPOC_BE_PEER_COPY) == 0) {
        source.finish();
        skip("Memory does not move from device ", other, " to device ", target.index, ".");
    }
    run(source, target, flags);
    source.finish();
}

void answer_is_steady(device& target) {
    with_another_device(target, [](device& source, device& to, std::uint32_t flags) {
        require(ask(source, to) == flags, "peer_query answers the same question differently.");
    });
}

void lengths_and_offsets(device& target) {
    with_another_device(target, [](device& source, device& to, std::uint32_t) {
        constexpr std::size_t room = 4608;
        const byte_vector contents = pattern(room, 1);
        const spoc_be_buffer from = source.buffer(contents);
        const spoc_be_buffer over = to.buffer(room);
        const std::span<const std::byte> sent(contents);
        for (const std::size_t offset : {0U, 1U, 3U, 13U}) {
            for (const std::size_t bytes : {1U, 2U, 3U, 4U, 5U, 64U, 255U, 257U, 4097U}) {
                byte_vector wanted = pattern(room, bytes);
                to.upload(over, 0, wanted);
                const spoc_be_range range = between(from, offset, over, 2 * offset + 1, bytes);
                to.copy(to.default_stream, SPOC_BE_COPY_PEER, {&range, 1}, SPOC_BE_WAIT);
                const auto piece = sent.subspan(offset, bytes);
                std::copy(piece.begin(), piece.end(),
                          wanted.begin() + static_cast<std::ptrdiff_t>(2 * offset + 1));
                expect_bytes(wanted, to.download(over, 0, room),
                             text("The target after ", bytes, " bytes from offset ", offset,
                                  " of the other device"));
            }
        }
        expect_bytes(contents, source.download(from, 0, room), "The source after all copies");
    });
}

void large(device& target) {
    with_another_device(target, [](device& source, device& to, std::uint32_t) {
        const std::uint64_t bytes = to.large_size((std::uint64_t{32} << 20) + 4099);
        const byte_vector contents = pattern(bytes, 1);
        const spoc_be_buffer from = source.buffer(contents);
        const spoc_be_buffer over = to.buffer(bytes);
        const spoc_be_range range = between(from, 0, over, 0, bytes);
        to.copy(to.default_stream, SPOC_BE_COPY_PEER, {&range, 1}, SPOC_BE_WAIT);
        expect_bytes(contents, to.download(over, 0, bytes), "The target after a large copy");
    });
}

/// Many ranges in one call, from two buffers to two, that nobody waits for in the call.
void many(device& target) {
    with_another_device(target, [](device& source, device& to, std::uint32_t) {
        constexpr std::size_t room = 4000;
        constexpr std::size_t step = 10;
        const byte_vector contents[] = {pattern(room, 1), pattern(room, 2)};
        byte_vector wanted[] = {pattern(room, 3), pattern(room, 4)};
        const spoc_be_buffer from[] = {source.buffer(contents[0]), source.buffer(contents[1])};
        const spoc_be_buffer over[] = {to.buffer(wanted[0]), to.buffer(wanted[1])};
        std::vector<spoc_be_range> ranges;
        for (std::size_t at = 0; at < room; at += step) {
            const std::size_t which = at / step % 3 % 2;
            const std::size_t bytes = 1 + at / step % (step - 1);
            ranges.push_back(between(from[which], at, over[1 - which], room - step - at, bytes));
            const auto piece = contents[which].begin() + static_cast<std::ptrdiff_t>(at);
            std::copy(piece, piece + static_cast<std::ptrdiff_t>(bytes),
                      wanted[1 - which].begin() + static_cast<std::ptrdiff_t>(room - step - at));
        }
        const spoc_be_stream stream = to.stream();
        to.copy(stream, SPOC_BE_COPY_PEER, ranges);
        to.sync(stream);
        for (std::size_t i = 0; i < 2; ++i) {
            expect_bytes(wanted[i], to.download(over[i], 0, room),
                         text("Target ", i, " after ", ranges.size(),
                              " ranges of the other device in one call"));
        }
    });
}

/// A copy from the other device behind other work says DONE_ALL only when another stream sees it.
void done_is_true(device& target) {
    with_another_device(target, [](device& source, device& to, std::uint32_t) {
        busy_work work(to);
        onlooker eyes(to);
        const spoc_be_stream stream = to.stream();
        const byte_vector contents = pattern(3 * word_bytes, 1);
        const spoc_be_buffer from = source.buffer(contents);
        const spoc_be_buffer over = to.buffer(word_bytes);
        for (std::size_t at = 0; at < contents.size(); at += word_bytes) {
            work.start(stream);
            const spoc_be_range range = between(from, at, over, 0, word_bytes);
            const std::uint32_t done = to.copy(stream, SPOC_BE_COPY_PEER, {&range, 1});
            if (done != SPOC_BE_DONE_ALL) {
                to.sync(stream);
            }
            expect_bytes(std::span(contents).subspan(at, word_bytes),
                         eyes.read(over, 0, word_bytes),
                         done == SPOC_BE_DONE_ALL ? "What another stream reads after DONE_ALL"
                                                  : "What another stream reads after stream_sync");
            to.sync(stream);
        }
    });
}

/// Where events reach across, a copy that waits for the source's work sees it.
void event_of_the_source(device& target) {
    with_another_device(target, [](device& source, device& to, std::uint32_t flags) {
        if ((flags & SPOC_BE_PEER_EVENTS) == 0) {
            skip("Events do not reach across these two devices.");
        }
        constexpr std::uint64_t bytes = std::uint64_t{8} << 20;
        const spoc_be_stream stream = to.stream();
        const spoc_be_stream other = source.stream();
        const spoc_be_event filled = source.event();
        const spoc_be_buffer from = source.buffer(bytes);
        const spoc_be_buffer over = to.buffer(bytes);
        for (std::uint32_t round = 1; round <= 10; ++round) {
            source.fill(other, from, 0, bytes, round, 1);
            source.record(filled, other);
            auto error = sized<spoc_be_error>();
            expect_status(SPOC_BE_OK, to.be.stream_wait(stream, filled, &error), "stream_wait",
                          error);
            const spoc_be_range range = between(from, 0, over, 0, bytes);
            to.copy(stream, SPOC_BE_COPY_PEER, {&range, 1}, SPOC_BE_WAIT);
            expect_bytes(byte_vector(bytes, static_cast<std::byte>(round)),
                         to.download(over, 0, bytes),
                         text("The target after the source's fill of round ", round));
        }
    });
}

void device_to_itself(device& dev) {
    if (dev.be.peer_query == nullptr) {
        skip("The plugin has no peer_query.");
    }
    if (dev.owner.device_count() < 2) {
        skip("The backend has one device only.");
    }
    static_cast<void>(ask(dev, dev));
}

}  // namespace

void add_peer_cases(case_list& cases) {
    cases.push_back(on_device("peer/answer_is_steady", answer_is_steady));
    cases.push_back(on_device("peer/device_to_itself_is_answered", device_to_itself));
    cases.push_back(on_device("peer/lengths_and_offsets", lengths_and_offsets));
    cases.push_back(on_device("peer/large", large));
    cases.push_back(on_device("peer/many", many));
    cases.push_back(on_device("peer/done_is_true", done_is_true));
    cases.push_back(on_device("peer/event_of_the_source", event_of_the_source));
}

}  // namespace spoc::conformance
