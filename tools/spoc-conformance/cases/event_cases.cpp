// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "busy_work.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "onlooker.hpp"

/// \file
/// Events: what they say about the work before them, and the time between two of them.

namespace spoc::conformance {
namespace {

std::int32_t query(const device& dev, spoc_be_event event) {
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.event_query(event, &error);
    return expect_ready_or_not(status, "event_query", error);
}

std::int32_t sync(const device& dev, spoc_be_event event, std::uint64_t timeout_ns) {
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.event_sync(event, timeout_ns, &error);
    return expect_ready_or_not(status, "event_sync", error);
}

void expect_complete(const device& dev, spoc_be_event event, const char* which) {
    require(query(dev, event) == SPOC_BE_OK, "event_query says NOT_READY of ", which, ".");
    for (const std::uint64_t timeout : {SPOC_BE_NO_WAIT, std::uint64_t{1}, ten_minutes_ns,
                                        SPOC_BE_FOREVER - 1, SPOC_BE_FOREVER}) {
        require(sync(dev, event, timeout) == SPOC_BE_OK, "event_sync with a time-out of ", timeout,
                " ns says NOT_READY of ", which, ".");
    }
}

void never_recorded(device& dev) { expect_complete(dev, dev.event(), "an event never recorded"); }

void recorded_on_idle_stream(device& dev) {
    const spoc_be_stream stream = dev.stream();
    for (const spoc_be_stream on : {stream, dev.default_stream}) {
        const spoc_be_event event = dev.event();
        dev.record(event, on);
        require(sync(dev, event, SPOC_BE_FOREVER) == SPOC_BE_OK,
                "event_sync says NOT_READY although it was to wait for ever.");
        expect_complete(dev, event, "an event that was waited for");
    }
}

void unknown_flag(device& dev) {
    spoc_be_event made = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.event_create(dev.handle, 1U << 30, &made, &error),
                  "event_create", error);
    require(made == nullptr, "event_create failed and wrote an event all the same.");
}

/// After NOT_READY, queries alone see the work through; and OK is true.
void queries_are_true(device& dev, spoc_be_stream stream, spoc_be_event event) {
    busy_work work(dev);
    onlooker eyes(dev);
    for (int round = 0; round < 3; ++round) {
        work.start(stream);
        dev.record(event, stream);
        while (query(dev, event) == SPOC_BE_NOT_READY) {
        }
        work.expect_done(eyes, "After event_query said OK");
    }
}

void query_is_true(device& dev) { queries_are_true(dev, dev.stream(), dev.event()); }

void query_is_true_on_the_default_stream(device& dev) {
    queries_are_true(dev, dev.default_stream, dev.event());
}

/// Events with timing are asked in the same way, and keep no fewer promises.
void timed_query_is_true(device& dev) {
    dev.need(SPOC_BE_CAP_EVENT_TIMING);
    queries_are_true(dev, dev.stream(SPOC_BE_STREAM_NON_BLOCKING | SPOC_BE_STREAM_TIMING),
                     dev.event(SPOC_BE_EVENT_TIMING));
}

void timed_sync_is_true(device& dev) {
    dev.need(SPOC_BE_CAP_EVENT_TIMING);
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_event event = dev.event(SPOC_BE_EVENT_TIMING);
    work.start(dev.default_stream);
    dev.record(event, dev.default_stream);
    require(sync(dev, event, SPOC_BE_FOREVER) == SPOC_BE_OK,
            "event_sync says NOT_READY although it was to wait for ever.");
    work.expect_done(eyes, "After event_sync said OK");
}

void sync_is_true(device& dev, std::uint64_t timeout_ns) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    work.start(stream);
    dev.record(event, stream);
    while (sync(dev, event, timeout_ns) == SPOC_BE_NOT_READY) {
        require(timeout_ns != SPOC_BE_FOREVER,
                "event_sync says NOT_READY although it was to wait for ever.");
    }
    work.expect_done(eyes, "After event_sync said OK");
}

void long_time_out(device& dev) {
    dev.need(SPOC_BE_CAP_TIMED_WAIT);
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    for (const std::uint64_t timeout : {ten_minutes_ns, SPOC_BE_FOREVER - 1}) {
        work.start(stream);
        dev.record(event, stream);
        require(sync(dev, event, timeout) == SPOC_BE_OK, "event_sync with a time-out of ", timeout,
                " ns says NOT_READY long before that time.");
        work.expect_done(eyes, "After event_sync said OK");
    }
}

/// A later recording replaces an earlier one, on the same stream and on another.
void recorded_again(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream idle_stream = dev.stream();
    const spoc_be_stream busy = dev.stream();
    const spoc_be_event event = dev.event();
    dev.record(event, idle_stream);
    require(sync(dev, event, SPOC_BE_FOREVER) == SPOC_BE_OK,
            "event_sync says NOT_READY although it was to wait for ever.");
    for (int round = 0; round < 2; ++round) {
        work.start(busy);
        dev.record(event, busy);
        require(sync(dev, event, SPOC_BE_FOREVER) == SPOC_BE_OK,
                "event_sync says NOT_READY although it was to wait for ever.");
        work.expect_done(eyes, "After event_sync of an event that was recorded anew");
    }
}

/// A later recording counts even where the earlier one is pending when it is made.
void recorded_again_while_pending(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    work.start(stream);
    dev.record(event, stream);
    for (int round = 0; round < 2; ++round) {
        work.start(stream);
        dev.record(event, stream);
    }
    require(sync(dev, event, SPOC_BE_FOREVER) == SPOC_BE_OK,
            "event_sync says NOT_READY although it was to wait for ever.");
    work.expect_done(eyes, "After event_sync of an event recorded again while it was pending");
}

/// A new event has never been recorded, whatever became of one that was destroyed.
void new_after_a_pending_one(device& dev) {
    busy_work work(dev);
    const spoc_be_stream stream = dev.stream();
    for (int round = 0; round < 3; ++round) {
        work.start(stream);
        const spoc_be_event old = dev.event();
        dev.record(old, stream);
        dev.destroy(old);
        expect_complete(dev, dev.event(), "a new event, made after one was destroyed");
    }
    dev.sync(stream);
}

/// The recording on an idle stream counts, not the one on the stream that is still at work.
void recorded_away(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream idle_stream = dev.stream();
    const spoc_be_stream busy = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer buffer = dev.buffer(word_bytes);
    work.start(busy);
    dev.record(event, busy);
    dev.fill(idle_stream, buffer, 0, word_bytes, 99, word_bytes);
    dev.record(event, idle_stream);
    while (query(dev, event) == SPOC_BE_NOT_READY) {
    }
    const std::uint32_t got = eyes.read_word(buffer);
    require(got == 99, "After event_query said OK of the later recording, another stream reads ",
            got, " instead of 99.");
    dev.sync(busy);
    work.expect_done(eyes, "After stream_sync");
}

/// An event does not wait for what is enqueued after it: what it says comes true without that work.
void work_after_the_event(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer buffer = dev.buffer(word_bytes);
    dev.fill(stream, buffer, 0, word_bytes, 31, word_bytes);
    dev.record(event, stream);
    work.start(stream);
    require(sync(dev, event, SPOC_BE_FOREVER) == SPOC_BE_OK,
            "event_sync says NOT_READY although it was to wait for ever.");
    const std::uint32_t got = eyes.read_word(buffer);
    require(got == 31, "After event_sync said OK, another stream reads ", got, " instead of 31.");
    dev.sync(stream);
    work.expect_done(eyes, "After stream_sync");
}

void destroyed_while_pending(device& dev) {
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    work.start(stream);
    for (int i = 0; i < 8; ++i) {
        const spoc_be_event event = dev.event();
        dev.record(event, stream);
        dev.destroy(event);
    }
    dev.sync(stream);
    work.expect_done(eyes, "After stream_sync of a stream whose events were destroyed");
}

/// Many events at once, each recorded after a piece of work of its own.
void many(device& dev) {
    constexpr std::uint32_t count = 256;
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer buffer = dev.buffer(count * word_bytes);
    std::vector<spoc_be_event> events;
    for (std::uint32_t i = 0; i < count; ++i) {
        events.push_back(dev.event());
        dev.fill(stream, buffer, i * word_bytes, word_bytes, i + 1, word_bytes);
        dev.record(events[i], stream);
    }
    for (std::uint32_t i = 0; i < count; i += 37) {
        require(sync(dev, events[i], SPOC_BE_FOREVER) == SPOC_BE_OK,
                "event_sync says NOT_READY although it was to wait for ever.");
        const std::uint32_t got = eyes.read_word(buffer, i * word_bytes);
        require(got == i + 1, "After event ", i, " of ", count, ", another stream reads ", got,
                " instead of ", i + 1, ".");
    }
    dev.sync(stream);
    for (const spoc_be_event event : events) {
        require(query(dev, event) == SPOC_BE_OK,
                "event_query says NOT_READY of an event on a stream that was waited for.");
    }
}

/// Two events with timing, and a stream that takes them.
struct stop_watch {
    explicit stop_watch(device& of)
        : dev(of),
          stream((of.need(SPOC_BE_CAP_EVENT_TIMING),
                  of.stream(SPOC_BE_STREAM_NON_BLOCKING | SPOC_BE_STREAM_TIMING))),
          start(of.event(SPOC_BE_EVENT_TIMING)),
          stop(of.event(SPOC_BE_EVENT_TIMING)) {}

    std::int32_t elapsed(spoc_be_event from, spoc_be_event to, double& ns) const {
        auto error = sized<spoc_be_error>();
        ns = std::numeric_limits<double>::quiet_NaN();
        const std::int32_t status = dev.be.event_elapsed(from, to, &ns, &error);
        if (status != SPOC_BE_OK) {
            require(std::isnan(ns), "event_elapsed answered ", status_text(status),
                    " and wrote a time all the same.");
        }
        if (status != SPOC_BE_NOT_READY && status != SPOC_BE_INVALID) {
            expect_status(SPOC_BE_OK, status, "event_elapsed", error);
        }
        return status;
    }

    double expect_elapsed(spoc_be_event from, spoc_be_event to) const {
        double ns = 0;
        const std::int32_t status = elapsed(from, to, ns);
        require(status == SPOC_BE_OK, "event_elapsed answered ", status_text(status),
                " for two events that are complete.");
        require(std::isfinite(ns), "event_elapsed says ", ns, " ns.");
        return ns;
    }

    device& dev;
    spoc_be_stream stream;
    spoc_be_event start;
    spoc_be_event stop;
};

/// Only the sign is certain, and that both ways agree.
void expect_order(const stop_watch& watch) {
    const double ahead = watch.expect_elapsed(watch.start, watch.stop);
    require(ahead >= 0, "event_elapsed says ", ahead, " ns from the earlier to the later event.");
    const double back = watch.expect_elapsed(watch.stop, watch.start);
    require(back <= 0 && std::abs(ahead + back) <= 1 + ahead / 1e6, "event_elapsed says ", ahead,
            " ns one way and ", back, " ns the other.");
    const double same = watch.expect_elapsed(watch.start, watch.start);
    require(same >= 0 && same <= 0, "event_elapsed says ", same, " ns from an event to itself.");
}

void elapsed_in_order(device& dev) {
    const stop_watch watch(dev);
    const spoc_be_buffer buffer = dev.buffer(std::uint64_t{1} << 20);
    for (const spoc_be_stream stream : {watch.stream, dev.default_stream}) {
        dev.record(watch.start, stream);
        dev.fill(stream, buffer, 0, std::uint64_t{1} << 20, 1, 1);
        dev.record(watch.stop, stream);
        dev.sync(stream);
        expect_order(watch);
    }
}

void elapsed_over_busy_work(device& dev) {
    const stop_watch watch(dev);
    busy_work work(dev);
    dev.record(watch.start, watch.stream);
    work.start(watch.stream);
    dev.record(watch.stop, watch.stream);
    dev.sync(watch.stream);
    expect_order(watch);
    const double ahead = watch.expect_elapsed(watch.start, watch.stop);
    require(ahead > 0, "event_elapsed says ", ahead,
            " ns from before to after work that took longer than any clock's step.");
}

void elapsed_never_recorded(device& dev) {
    const stop_watch watch(dev);
    dev.record(watch.start, watch.stream);
    dev.sync(watch.stream);
    double ns = 0;
    for (const auto& [from, to] :
         {std::pair{watch.start, watch.stop}, std::pair{watch.stop, watch.start},
          std::pair{watch.stop, watch.stop}}) {
        const std::int32_t status = watch.elapsed(from, to, ns);
        require(status == SPOC_BE_INVALID, "event_elapsed answered ", status_text(status),
                " for an event that was never recorded, instead of INVALID.");
    }
}

/// The place of a destroyed event may be used again, its recording not.
void elapsed_of_a_new_event(device& dev) {
    const stop_watch watch(dev);
    const spoc_be_event old = dev.event(SPOC_BE_EVENT_TIMING);
    dev.record(watch.start, watch.stream);
    dev.record(old, watch.stream);
    dev.sync(watch.stream);
    dev.destroy(old);
    double ns = 0;
    const std::int32_t status = watch.elapsed(watch.start, dev.event(SPOC_BE_EVENT_TIMING), ns);
    require(status == SPOC_BE_INVALID, "event_elapsed answered ", status_text(status),
            " for a new event, made after a recorded one was destroyed, instead of INVALID.");
}

/// What a host's clock can say of the time between two events, nanoseconds.
struct time_bounds {
    double least = 0;  ///< the stop was seen pending for so long after the start was seen complete
    double most = 0;   ///< from before the first recording to after the wait for the second
};

time_bounds time_by_the_host(const stop_watch& watch, busy_work& work) {
    using clock = std::chrono::steady_clock;
    using nanoseconds = std::chrono::duration<double, std::nano>;
    const auto before = clock::now();
    watch.dev.record(watch.start, watch.stream);
    work.start(watch.stream);
    watch.dev.record(watch.stop, watch.stream);
    while (query(watch.dev, watch.start) == SPOC_BE_NOT_READY) {
    }
    const auto started = clock::now();
    auto asked = clock::now();
    auto last_pending = started;
    while (query(watch.dev, watch.stop) == SPOC_BE_NOT_READY) {
        last_pending = asked;
        asked = clock::now();
    }
    return {nanoseconds(last_pending - started).count(),
            nanoseconds(clock::now() - before).count()};
}

/// The time is in nanoseconds. Another unit is far away from both bounds; so far that no clock and
/// no thread that was held up between an end and its notice comes near, three times in a row.
void elapsed_in_nanoseconds(device& dev) {
    constexpr double margin = 100;
    constexpr int tries = 3;
    const stop_watch watch(dev);
    busy_work work(dev);
    time_bounds bounds;
    double ahead = 0;
    for (int i = 0; i < tries; ++i) {
        bounds = time_by_the_host(watch, work);
        ahead = watch.expect_elapsed(watch.start, watch.stop);
        if (ahead >= bounds.least / margin && ahead <= bounds.most * margin) {
            return;
        }
    }
    fail("event_elapsed says ", ahead, " ns for what took between ", bounds.least, " and ",
         bounds.most, " ns by the host's clock.");
}

/// A time is given only once both events are complete.
void elapsed_while_pending(device& dev) {
    const stop_watch watch(dev);
    busy_work work(dev);
    onlooker eyes(dev);
    dev.record(watch.start, watch.stream);
    work.start(watch.stream);
    dev.record(watch.stop, watch.stream);
    double ns = 0;
    std::int32_t status = SPOC_BE_NOT_READY;
    while ((status = watch.elapsed(watch.start, watch.stop, ns)) == SPOC_BE_NOT_READY) {
    }
    require(status == SPOC_BE_OK, "event_elapsed answered ", status_text(status),
            " for two recorded events.");
    work.expect_done(eyes, "After event_elapsed gave a time");
}

/// A new recording makes an old time void.
void elapsed_recorded_again(device& dev) {
    const stop_watch watch(dev);
    dev.record(watch.start, watch.stream);
    dev.record(watch.stop, watch.stream);
    dev.sync(watch.stream);
    expect_order(watch);
    dev.record(watch.start, watch.stream);
    dev.sync(watch.stream);
    const double ns = watch.expect_elapsed(watch.start, watch.stop);
    require(ns <= 0, "event_elapsed says ", ns,
            " ns from an event that was recorded again to one that stood before it.");
}

void timing_on_plain_stream(device& dev) {
    const stop_watch watch(dev);
    const spoc_be_stream plain = dev.stream(SPOC_BE_STREAM_NON_BLOCKING);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.event_record(watch.start, plain, &error),
                  "event_record of an event with timing on a stream without", error);
    expect_complete(dev, watch.start, "an event whose recording was refused");
    // The event and the stream are as good as before.
    dev.record(dev.event(), plain);
    dev.record(watch.start, watch.stream);
    dev.record(watch.stop, watch.stream);
    dev.sync(plain);
    dev.sync(watch.stream);
    expect_order(watch);
}

/// An event without timing may be recorded on every stream.
void plain_on_timing_stream(device& dev) {
    const stop_watch watch(dev);
    const spoc_be_event event = dev.event();
    dev.record(event, watch.stream);
    dev.sync(watch.stream);
    expect_complete(dev, event, "an event on a stream that was waited for");
}

void add_timing_cases(case_list& cases) {
    cases.push_back(on_device("event/elapsed_in_order", elapsed_in_order));
    cases.push_back(on_device("event/elapsed_over_busy_work", elapsed_over_busy_work));
    cases.push_back(on_device("event/elapsed_never_recorded", elapsed_never_recorded));
    cases.push_back(on_device("event/elapsed_of_a_new_event", elapsed_of_a_new_event));
    cases.push_back(on_device("event/elapsed_in_nanoseconds", elapsed_in_nanoseconds));
    cases.push_back(on_device("event/timed_query_is_true", timed_query_is_true));
    cases.push_back(on_device("event/timed_sync_is_true", timed_sync_is_true));
    cases.push_back(on_device("event/elapsed_while_pending", elapsed_while_pending));
    cases.push_back(on_device("event/elapsed_recorded_again", elapsed_recorded_again));
    cases.push_back(on_device("event/timing_on_plain_stream", timing_on_plain_stream));
    cases.push_back(on_device("event/plain_on_timing_stream", plain_on_timing_stream));
}

}  // namespace

void add_event_cases(case_list& cases) {
    cases.push_back(on_device("event/never_recorded", never_recorded));
    cases.push_back(on_device("event/recorded_on_idle_stream", recorded_on_idle_stream));
    cases.push_back(on_device("event/unknown_flag", unknown_flag));
    cases.push_back(on_device("event/query_is_true", query_is_true));
    cases.push_back(on_device("event/query_is_true_on_the_default_stream",
                              query_is_true_on_the_default_stream));
    cases.push_back(on_device("event/sync_polling_is_true",
                              [](device& dev) { sync_is_true(dev, SPOC_BE_NO_WAIT); }));
    cases.push_back(on_device("event/sync_short_time_out_is_true",
                              [](device& dev) { sync_is_true(dev, 1000000); }));
    cases.push_back(on_device("event/sync_for_ever_is_true",
                              [](device& dev) { sync_is_true(dev, SPOC_BE_FOREVER); }));
    cases.push_back(on_device("event/long_time_out", long_time_out));
    cases.push_back(on_device("event/recorded_again", recorded_again));
    cases.push_back(on_device("event/recorded_again_while_pending", recorded_again_while_pending));
    cases.push_back(on_device("event/new_after_a_pending_one", new_after_a_pending_one));
    cases.push_back(on_device("event/recorded_away", recorded_away));
    cases.push_back(on_device("event/work_after_the_event", work_after_the_event));
    cases.push_back(on_device("event/destroyed_while_pending", destroyed_while_pending));
    cases.push_back(on_device("event/many", many));
    add_timing_cases(cases);
}

}  // namespace spoc::conformance
