// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "busy_work.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "kernels.hpp"
#include "launch_request.hpp"
#include "onlooker.hpp"

/// \file
/// Streams: what they order, what they leave apart, and whether what they say about pending work is
/// true. Whether the work of a case is still pending when it is asked about is a matter of luck;
/// that it is complete when the plugin says so is not.

namespace spoc::conformance {
namespace {

std::int32_t query(const device& dev, spoc_be_stream stream) {
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.stream_query(stream, &error);
    return expect_ready_or_not(status, "stream_query", error);
}

std::int32_t sync(const device& dev, spoc_be_stream stream, std::uint64_t timeout_ns) {
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.stream_sync(stream, timeout_ns, &error);
    return expect_ready_or_not(status, "stream_sync", error);
}

void wait(const device& dev, spoc_be_stream stream, spoc_be_event event) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.stream_wait(stream, event, &error), "stream_wait", error);
}

/// Copies the word at the start of `from` to the word `number` of `to`.
void keep_word(device& dev, spoc_be_stream stream, spoc_be_buffer from, spoc_be_buffer to,
               std::uint64_t number = 0) {
    const spoc_be_range range = between(from, 0, to, number * word_bytes, word_bytes);
    dev.copy(stream, SPOC_BE_COPY_D2D, {&range, 1});
}

/// The stream works: a fill on it arrives.
void try_stream(device& dev, spoc_be_stream stream, std::uint32_t value) {
    const spoc_be_buffer buffer = dev.buffer(64);
    dev.fill(stream, buffer, 0, 64, value, word_bytes);
    dev.sync(stream);
    expect_bytes(bytes_of(std::vector<std::uint32_t>(16, value)), dev.download(buffer, 0, 64),
                 "A buffer after a fill on a new stream");
}

std::int32_t create(const device& dev, const spoc_be_stream_desc& desc, spoc_be_stream& made,
                    spoc_be_error& error) {
    made = nullptr;
    return dev.be.stream_create(dev.handle, &desc, &made, &error);
}

void each_flag(device& dev) {
    const std::uint32_t timing = dev.can(SPOC_BE_CAP_EVENT_TIMING) ? SPOC_BE_STREAM_TIMING : 0;
    for (const std::uint32_t flags :
         {0U, SPOC_BE_STREAM_NON_BLOCKING, timing, SPOC_BE_STREAM_NON_BLOCKING | timing}) {
        try_stream(dev, dev.stream(flags), 0x01020304U + flags);
    }
}

/// Priorities far from what any driver has are brought into its range, not refused.
void any_priority(device& dev) {
    for (const std::int32_t priority :
         {-1, 1, -1000, 1000, std::numeric_limits<std::int32_t>::min(),
          std::numeric_limits<std::int32_t>::max()}) {
        auto desc = sized<spoc_be_stream_desc>();
        desc.flags = SPOC_BE_STREAM_NON_BLOCKING;
        desc.priority = priority;
        spoc_be_stream made = nullptr;
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, create(dev, desc, made, error), "stream_create", error);
        require(made != nullptr, "stream_create with priority ", priority,
                " answered OK without a stream.");
        try_stream(dev, made, static_cast<std::uint32_t>(priority));
        expect_status(SPOC_BE_OK, dev.be.stream_destroy(made, &error), "stream_destroy", error);
    }
}

void unknown_flag(device& dev) {
    auto desc = sized<spoc_be_stream_desc>();
    desc.flags = 1U << 30;
    spoc_be_stream made = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, create(dev, desc, made, error), "stream_create", error);
    require(made == nullptr, "stream_create failed and wrote a stream all the same.");
}

void extensions(device& dev) {
    const spoc_be_ext must{SPOC_BE_EXT_REQUIRED | 0x1234, sizeof(spoc_be_ext), nullptr};
    const spoc_be_ext may{0x1234, sizeof(spoc_be_ext), &must};
    auto desc = sized<spoc_be_stream_desc>();
    desc.flags = SPOC_BE_STREAM_NON_BLOCKING;
    desc.ext = &may;
    spoc_be_stream made = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_EXTENSION, create(dev, desc, made, error), "stream_create", error);
    require(made == nullptr, "stream_create failed and wrote a stream all the same.");
    const spoc_be_ext alone{0x1234, sizeof(spoc_be_ext), nullptr};
    desc.ext = &alone;
    expect_status(SPOC_BE_OK, create(dev, desc, made, error), "stream_create", error);
    expect_status(SPOC_BE_OK, dev.be.stream_destroy(made, &error), "stream_destroy", error);
}

/// A stream without work is idle, whatever the time-out.
void idle(device& dev) {
    for (spoc_be_stream stream :
         {dev.default_stream, dev.stream(), dev.stream(SPOC_BE_STREAM_NON_BLOCKING)}) {
        require(query(dev, stream) == SPOC_BE_OK,
                "stream_query says NOT_READY of a stream without work.");
        for (const std::uint64_t timeout :
             {SPOC_BE_NO_WAIT, std::uint64_t{1}, std::uint64_t{1000000}, ten_minutes_ns,
              SPOC_BE_FOREVER - 1, SPOC_BE_FOREVER}) {
            require(sync(dev, stream, timeout) == SPOC_BE_OK, "stream_sync with a time-out of ",
                    timeout, " ns says NOT_READY of a stream without work.");
        }
    }
}

/// After NOT_READY, queries alone see the work through; and OK is true.
void query_is_true(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    for (int round = 0; round < 3; ++round) {
        work.start(stream);
        while (query(dev, stream) == SPOC_BE_NOT_READY) {
        }
        work.expect_done(eyes, "After stream_query said OK");
    }
}

void sync_is_true(device& dev, std::uint64_t timeout_ns) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    work.start(stream);
    while (sync(dev, stream, timeout_ns) == SPOC_BE_NOT_READY) {
        require(timeout_ns != SPOC_BE_FOREVER,
                "stream_sync says NOT_READY although it was to wait for ever.");
    }
    work.expect_done(eyes, "After stream_sync said OK");
}

/// Time-outs so far away that only the end of the work can end the wait.
void long_time_out(device& dev) {
    dev.need(SPOC_BE_CAP_TIMED_WAIT);
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    for (const std::uint64_t timeout : {ten_minutes_ns, SPOC_BE_FOREVER - 1}) {
        work.start(stream);
        require(sync(dev, stream, timeout) == SPOC_BE_OK, "stream_sync with a time-out of ",
                timeout, " ns says NOT_READY long before that time.");
        work.expect_done(eyes, "After stream_sync said OK");
    }
}

void flush_starts(device& dev) {
    if (dev.be.stream_flush == nullptr) {
        skip("The plugin has no stream_flush.");
    }
    const spoc_be_stream stream = dev.stream();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.stream_flush(stream, &error), "stream_flush", error);
    busy_work work(dev);
    onlooker eyes(dev);
    work.start(stream);
    expect_status(SPOC_BE_OK, dev.be.stream_flush(stream, &error), "stream_flush", error);
    while (query(dev, stream) == SPOC_BE_NOT_READY) {
    }
    work.expect_done(eyes, "After stream_flush and stream_query said OK");
}

constexpr std::uint32_t chain_rounds = 40;
constexpr std::uint32_t chain_words = 256;

/// Fill, launch and copy by turns, each needing the one before, and no wait in between.
void launches_in_order(device& dev) {
    kernel_set kernels = kernel_set::with(dev, known_kernel::scale);
    const ready_kernel scale = kernels.get(known_kernel::scale);
    const std::uint64_t bytes = chain_words * word_bytes;
    const spoc_be_buffer in = dev.buffer(bytes);
    const spoc_be_buffer out = dev.buffer(bytes);
    const spoc_be_buffer kept = dev.buffer(bytes * chain_rounds);
    const spoc_be_stream stream = dev.stream();
    for (std::uint32_t round = 0; round < chain_rounds; ++round) {
        dev.fill(stream, in, 0, bytes, round + 1, word_bytes);
        const std::uint32_t factor = round * 3 + 1;
        scale_request(scale, in, out, factor, chain_words).run(dev, stream);
        const spoc_be_range range = between(out, 0, kept, round * bytes, bytes);
        dev.copy(stream, SPOC_BE_COPY_D2D, {&range, 1});
    }
    dev.sync(stream);
    for (std::uint32_t round = 0; round < chain_rounds; ++round) {
        const byte_vector in_words = bytes_of(std::vector<std::uint32_t>(chain_words, round + 1));
        expect_bytes(scaled(in_words, round * 3 + 1), dev.download(kept, round * bytes, bytes),
                     text("What round ", round, " of fill, launch and copy left"));
    }
}

/// Fills and copies by turns on one stream.
void copies_in_order(device& dev, spoc_be_stream stream) {
    const spoc_be_buffer value = dev.buffer(word_bytes);
    const spoc_be_buffer kept = dev.buffer(chain_rounds * word_bytes);
    for (std::uint32_t round = 0; round < chain_rounds; ++round) {
        dev.fill(stream, value, 0, word_bytes, round * 7 + 1, word_bytes);
        keep_word(dev, stream, value, kept, round);
    }
    dev.sync(stream);
    const std::vector<std::uint32_t> got =
        words_of(dev.download(kept, 0, chain_rounds * word_bytes));
    for (std::uint32_t round = 0; round < chain_rounds; ++round) {
        require(got[round] == round * 7 + 1, "Fill and copy number ", round, " left ", got[round],
                " instead of ", round * 7 + 1, ": the stream did not keep their order.");
    }
}

/// Work of two streams by turns, each on its own buffers.
void two_streams(device& dev) {
    struct lane {
        spoc_be_stream stream;
        spoc_be_buffer value;
        spoc_be_buffer kept;
    };
    constexpr std::uint32_t rounds = 60;
    std::array<lane, 2> lanes{};
    for (lane& of : lanes) {
        of = {dev.stream(), dev.buffer(word_bytes), dev.buffer(rounds * word_bytes)};
    }
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::uint32_t i = 0; i < lanes.size(); ++i) {
            const std::uint32_t value = round * 2 + i + 1;
            dev.fill(lanes[i].stream, lanes[i].value, 0, word_bytes, value, word_bytes);
            keep_word(dev, lanes[i].stream, lanes[i].value, lanes[i].kept, round);
        }
    }
    for (std::uint32_t i = 0; i < lanes.size(); ++i) {
        dev.sync(lanes[i].stream);
        const auto got = words_of(dev.download(lanes[i].kept, 0, rounds * word_bytes));
        for (std::uint32_t round = 0; round < rounds; ++round) {
            require(got[round] == round * 2 + i + 1, "Round ", round, " on stream ", i,
                    " of two left ", got[round], " instead of ", round * 2 + i + 1, ".");
        }
    }
}

void sixty_four(device& dev) {
    constexpr std::uint32_t count = 64;
    constexpr std::uint64_t bytes = 4096;
    std::vector<spoc_be_stream> streams;
    std::vector<spoc_be_buffer> buffers;
    for (std::uint32_t i = 0; i < count; ++i) {
        streams.push_back(dev.stream());
        buffers.push_back(dev.buffer(bytes));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        dev.fill(streams[i], buffers[i], 0, bytes, 0xABCD0000U + i, word_bytes);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        dev.sync(streams[i]);
        expect_bytes(bytes_of(std::vector<std::uint32_t>(bytes / word_bytes, 0xABCD0000U + i)),
                     dev.download(buffers[i], 0, bytes),
                     text("The buffer of stream ", i, " of 64"));
    }
}

void wait_without_recording(device& dev) {
    const spoc_be_stream stream = dev.stream();
    wait(dev, stream, dev.event());
    wait(dev, dev.default_stream, dev.event());
    try_stream(dev, stream, 77);
    require(query(dev, stream) == SPOC_BE_OK,
            "stream_query says NOT_READY of a stream that waited for nothing.");
}

/// Work of one stream after an event of another sees what stood before the event; and back.
void wait_orders(device& dev, spoc_be_stream first, spoc_be_stream second) {
    constexpr std::uint64_t rounds = 5;
    busy_work work(dev);
    const spoc_be_event there = dev.event();
    const spoc_be_event back = dev.event();
    const spoc_be_buffer kept = dev.buffer(rounds * word_bytes);
    std::vector<std::uint32_t> wanted;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        work.start(first);
        wanted.push_back(work.word());
        dev.record(there, first);
        wait(dev, second, there);
        keep_word(dev, second, work.target(), kept, round);
        dev.record(back, second);
        wait(dev, first, back);
    }
    dev.sync(second);
    expect_bytes(bytes_of(wanted), onlooker(dev).read(kept, 0, rounds * word_bytes),
                 "What one stream copied after it waited for the other's work");
}

/// The wait is for the recording that is current at the call; another one afterwards is no matter.
void wait_counts_at_the_call(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream busy = dev.stream();
    const spoc_be_stream idle_stream = dev.stream();
    const spoc_be_stream waiting = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer kept = dev.buffer(word_bytes);
    work.start(busy);
    dev.record(event, busy);
    wait(dev, waiting, event);
    dev.record(event, idle_stream);
    keep_word(dev, waiting, work.target(), kept);
    dev.sync(waiting);
    work.expect_word(eyes, kept, "After a wait for an event that was recorded anew elsewhere");
    dev.sync(busy);
}

/// A stream that waited for an event can record it itself. A plugin that takes the later recording
/// for the one waited for never comes to the end.
void wait_then_record(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream first = dev.stream();
    const spoc_be_stream second = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer kept = dev.buffer(word_bytes);
    work.start(first);
    dev.record(event, first);
    wait(dev, second, event);
    keep_word(dev, second, work.target(), kept);
    dev.record(event, second);
    wait(dev, first, event);
    dev.sync(first);
    work.expect_word(eyes, kept, "After two streams waited for one event by turns");
    dev.sync(second);
}

void event_destroyed_while_waited_for(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream first = dev.stream();
    const spoc_be_stream second = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer kept = dev.buffer(word_bytes);
    work.start(first);
    dev.record(event, first);
    wait(dev, second, event);
    dev.destroy(event);
    // A plugin that used the ended event's place again would now wait for nothing.
    dev.record(dev.event(), dev.stream());
    keep_word(dev, second, work.target(), kept);
    dev.sync(second);
    work.expect_word(eyes, kept, "After a wait for an event that was destroyed meanwhile");
}

/// A blocking stream's work comes before the default stream's later work, and the reverse.
void blocking_stream(device& dev) {
    dev.need(SPOC_BE_CAP_STREAM_BLOCKING);
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream blocking = dev.stream(0);
    const std::array pairs{std::array{blocking, dev.default_stream},
                           std::array{dev.default_stream, blocking}};
    for (const auto& [before, after] : pairs) {
        const spoc_be_buffer kept = dev.buffer(word_bytes);
        work.start(before);
        keep_word(dev, after, work.target(), kept);
        dev.sync(after);
        work.expect_word(eyes, kept,
                         before == blocking
                             ? "After the default stream, which follows a blocking stream"
                             : "After a blocking stream, which follows the default stream");
    }
}

/// Work on the default stream is pending, and a stream beside it does its own meanwhile.
void beside_the_default_stream(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer buffer = dev.buffer(word_bytes);
    work.start(dev.default_stream);
    dev.fill(stream, buffer, 0, word_bytes, 4711, word_bytes);
    dev.sync(stream);
    const std::uint32_t got = eyes.read_word(buffer);
    require(got == 4711, "A fill on a stream beside the busy default stream left ", got,
            " instead of 4711.");
    dev.sync(dev.default_stream);
    work.expect_done(eyes, "After stream_sync of the default stream");
}

/// An event outlives the stream that it was recorded on.
void destroyed_before_its_event(device& dev) {
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer buffer = dev.buffer(word_bytes);
    dev.fill(stream, buffer, 0, word_bytes, 5, word_bytes);
    dev.record(event, stream);
    dev.destroy(stream);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.event_query(event, &error), "event_query", error);
    expect_status(SPOC_BE_OK, dev.be.event_sync(event, SPOC_BE_FOREVER, &error), "event_sync",
                  error);
    const spoc_be_stream other = dev.stream();
    wait(dev, other, event);
    dev.sync(other);
}

void add_query_cases(case_list& cases) {
    cases.push_back(on_device("stream/idle", idle));
    cases.push_back(on_device("stream/query_is_true", query_is_true));
    cases.push_back(on_device("stream/sync_polling_is_true",
                              [](device& dev) { sync_is_true(dev, SPOC_BE_NO_WAIT); }));
    cases.push_back(on_device("stream/sync_short_time_out_is_true",
                              [](device& dev) { sync_is_true(dev, 1000000); }));
    cases.push_back(on_device("stream/sync_for_ever_is_true",
                              [](device& dev) { sync_is_true(dev, SPOC_BE_FOREVER); }));
    cases.push_back(on_device("stream/long_time_out", long_time_out));
    cases.push_back(on_device("stream/flush_starts", flush_starts));
}

}  // namespace

void add_stream_cases(case_list& cases) {
    cases.push_back(on_device("stream/each_flag", each_flag));
    cases.push_back(on_device("stream/any_priority", any_priority));
    cases.push_back(on_device("stream/unknown_flag", unknown_flag));
    cases.push_back(on_device("stream/extensions", extensions));
    add_query_cases(cases);
    cases.push_back(on_device("stream/launches_in_order", launches_in_order));
    cases.push_back(on_device("stream/copies_in_order",
                              [](device& dev) { copies_in_order(dev, dev.stream()); }));
    cases.push_back(on_device("stream/copies_in_order_on_the_default_stream",
                              [](device& dev) { copies_in_order(dev, dev.default_stream); }));
    cases.push_back(on_device("stream/two_streams", two_streams));
    cases.push_back(on_device("stream/sixty_four", sixty_four));
    cases.push_back(on_device("stream/wait_without_recording", wait_without_recording));
    cases.push_back(on_device("stream/wait_orders",
                              [](device& dev) { wait_orders(dev, dev.stream(), dev.stream()); }));
    cases.push_back(on_device("stream/wait_orders_after_the_default_stream", [](device& dev) {
        wait_orders(dev, dev.default_stream, dev.stream());
    }));
    cases.push_back(on_device("stream/wait_orders_the_default_stream", [](device& dev) {
        wait_orders(dev, dev.stream(), dev.default_stream);
    }));
    cases.push_back(on_device("stream/wait_counts_at_the_call", wait_counts_at_the_call));
    cases.push_back(on_device("stream/wait_then_record", wait_then_record));
    cases.push_back(
        on_device("stream/event_destroyed_while_waited_for", event_destroyed_while_waited_for));
    cases.push_back(on_device("stream/blocking_stream", blocking_stream));
    cases.push_back(on_device("stream/beside_the_default_stream", beside_the_default_stream));
    cases.push_back(on_device("stream/destroyed_before_its_event", destroyed_before_its_event));
}

}  // namespace spoc::conformance
