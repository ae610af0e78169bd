// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

namespace spoc::mock {
namespace {

/// Streams whose earlier work `sequence` of `stream` waits for without having been told to: the
/// default stream and the blocking ones, against each other.
std::vector<spoc_be_stream> hidden_predecessors(state& all, spoc_be_stream stream,
                                                std::uint64_t sequence) {
    std::vector<spoc_be_stream> before;
    if (!offers(stream->device->info, SPOC_BE_CAP_STREAM_BLOCKING) ||
        (stream->flags & SPOC_BE_STREAM_NON_BLOCKING) != 0) {
        return before;
    }
    all.streams.for_each_alive([&](spoc_be_stream_s& other) {
        if (other.device == stream->device && other.is_default != stream->is_default &&
            (other.flags & SPOC_BE_STREAM_NON_BLOCKING) == 0 && !other.queue.empty() &&
            other.queue.front().sequence < sequence) {
            before.push_back(&other);
        }
    });
    return before;
}

bool can_run(state& all, spoc_be_stream stream) {
    if (stream->queue.empty() || stream->device->lost) {
        return false;
    }
    const operation& next = stream->queue.front();
    return next.submitted && (next.after == nullptr || next.after->complete) &&
           hidden_predecessors(all, stream, next.sequence).empty();
}

void run(state& all, spoc_be_stream stream, const operation& work) {
    ++all.ran;
    if (work.late_status != SPOC_BE_OK) {
        if (stream->late_status == SPOC_BE_OK) {
            stream->late_status = work.late_status;
            stream->late_tag = work.tag;
        }
    } else if (work.run) {
        work.run();
    }
    all.progress.notify_all();
}

bool step_towards(state& all, spoc_be_stream stream, std::set<spoc_be_stream>& seen) {
    if (!seen.insert(stream).second || stream->queue.empty()) {
        return false;
    }
    if (step(all, stream)) {
        return true;
    }
    const operation& next = stream->queue.front();
    if (next.after != nullptr && !next.after->complete) {
        spoc_be_stream other = find_stream(all, next.after->stream);
        if (other != nullptr && step_towards(all, other, seen)) {
            return true;
        }
    }
    const auto before = hidden_predecessors(all, stream, next.sequence);
    return std::any_of(before.begin(), before.end(),
                       [&](spoc_be_stream other) { return step_towards(all, other, seen); });
}

std::vector<spoc_be_stream> all_streams(state& all) {
    std::vector<spoc_be_stream> streams;
    all.streams.for_each_alive([&](spoc_be_stream_s& one) { streams.push_back(&one); });
    return streams;
}

/// The stream whose head is the oldest of those that can run, or null.
spoc_be_stream oldest_that_can_run(state& all) {
    spoc_be_stream oldest = nullptr;
    for (spoc_be_stream one : all_streams(all)) {
        if (can_run(all, one) &&
            (oldest == nullptr || one->queue.front().sequence < oldest->queue.front().sequence)) {
            oldest = one;
        }
    }
    return oldest;
}

/// Waits until nothing is in front of an operation that a stream would get now.
bool wait_for_turn(call& now, spoc_be_stream stream) {
    state& all = now.all;
    submit(all, stream);
    const auto in_front = [&all, stream] {
        auto before = hidden_predecessors(all, stream, SPOC_BE_FOREVER);
        if (!stream->queue.empty()) {
            before.push_back(stream);
        }
        return before;
    };
    const goal turn = {[in_front] { return in_front().empty(); },
                       [in_front, &all] {
                           const auto before = in_front();
                           return std::any_of(
                               before.begin(), before.end(),
                               [&all](spoc_be_stream one) { return mock::step_towards(all, one); });
                       }};
    return wait_for(now, turn, SPOC_BE_FOREVER) == SPOC_BE_OK;
}

/// A wait under WAIT_BLOCK.
std::int32_t block(call& now, const goal& what, std::uint64_t timeout_ns) {
    state& all = now.all;
    ++all.waiters;
    all.progress.notify_all();
    const auto over = [&] { return what.reached() || now.is_lost(); };
    if (timeout_ns == SPOC_BE_FOREVER) {
        all.progress.wait(now.lock(), over);
    } else if (now.offers(SPOC_BE_CAP_TIMED_WAIT)) {
        const auto most = std::min<std::uint64_t>(timeout_ns, std::uint64_t{1} << 60);
        all.progress.wait_for(now.lock(), std::chrono::nanoseconds(most), over);
    }
    --all.waiters;
    if (now.is_lost()) {
        return now.fail({.status = SPOC_BE_DEVICE_LOST}, "The mock's device is lost.");
    }
    return now.answer(what.reached() ? SPOC_BE_OK : SPOC_BE_NOT_READY);
}

}  // namespace

bool enqueue(call& now, spoc_be_stream stream, operation work, bool complete) {
    state& all = now.all;
    if (now.quiet()) {
        work.run();
        return true;
    }
    if (complete) {
        if (!wait_for_turn(now, stream)) {
            return false;
        }
        work.sequence = ++all.sequence;
        run(all, stream, work);
        return true;
    }
    work.sequence = ++all.sequence;
    stream->queue.push_back(std::move(work));
    if (all.set.get(SPOC_MOCK_HOLD) == 0) {
        release(all, nullptr, SPOC_BE_FOREVER);
    }
    return true;
}

void say_done(call& now, spoc_be_stream stream, bool complete, bool pending, bool host_is_free,
              std::uint32_t* done) {
    const std::uint64_t said = now.all.set.get(SPOC_MOCK_DONE);
    if (pending) {
        *done = host_is_free ? SPOC_BE_DONE_HOST : SPOC_BE_DONE_NOTHING;
    } else {
        *done = SPOC_BE_DONE_ALL;
    }
    if (said != SPOC_MOCK_DONE_HONEST && !complete) {
        *done = static_cast<std::uint32_t>(said);
    }
    if (*done != SPOC_BE_DONE_ALL && !now.quiet()) {
        stream->unproved = now.all.sequence;
    }
    now.record.done = *done;
}

void submit(state& all, spoc_be_stream stream) {
    bool any = false;
    for (operation& work : stream->queue) {
        any = any || !work.submitted;
        work.submitted = true;
    }
    if (any && all.set.get(SPOC_MOCK_HOLD) == 0) {
        release(all, nullptr, SPOC_BE_FOREVER);
    }
}

void submit_all(state& all) {
    for (spoc_be_stream stream : all_streams(all)) {
        submit(all, stream);
    }
}

bool step(state& all, spoc_be_stream stream) {
    if (!can_run(all, stream)) {
        return false;
    }
    const operation work = std::move(stream->queue.front());
    stream->queue.pop_front();
    run(all, stream, work);
    return true;
}

bool step_towards(state& all, spoc_be_stream stream) {
    std::set<spoc_be_stream> seen;
    return step_towards(all, stream, seen);
}

std::uint64_t release(state& all, spoc_be_stream stream, std::uint64_t most) {
    std::uint64_t count = 0;
    while (count < most) {
        spoc_be_stream next = stream != nullptr ? stream : oldest_that_can_run(all);
        if (next == nullptr || !step(all, next)) {
            break;
        }
        ++count;
    }
    return count;
}

bool has_run(spoc_be_stream stream, std::uint64_t sequence) {
    return stream->queue.empty() || stream->queue.front().sequence > sequence;
}

std::int32_t wait_for(call& now, const goal& what, std::uint64_t timeout_ns) {
    if (what.reached()) {
        return now.answer(SPOC_BE_OK);
    }
    if (timeout_ns == SPOC_BE_NO_WAIT) {
        return now.answer(SPOC_BE_NOT_READY);
    }
    state& all = now.all;
    const std::uint64_t policy = all.set.get(SPOC_MOCK_ON_WAIT);
    if (policy == SPOC_MOCK_WAIT_FAIL) {
        return now.fail({.status = SPOC_BE_DRIVER, .native_code = SPOC_MOCK_WOULD_WAIT},
                        "This call would have waited.");
    }
    if (policy == SPOC_MOCK_WAIT_RUN) {
        while (!what.reached()) {
            if (!what.step()) {
                if (timeout_ns != SPOC_BE_FOREVER) {
                    return now.answer(SPOC_BE_NOT_READY);
                }
                return now.fail({.status = SPOC_BE_INTERNAL},
                                "Nothing that this call waits for can run: a deadlock.");
            }
        }
        return now.answer(SPOC_BE_OK);
    }
    return block(now, what, timeout_ns);
}

spoc_be_stream find_stream(state& all, std::uint64_t number) {
    spoc_be_stream found = nullptr;
    all.streams.for_each_alive(
        [&](spoc_be_stream_s& one) { found = one.number == number ? &one : found; });
    return found;
}

bool tell_late_failure(call& now, spoc_be_stream stream) {
    if (now.quiet() || stream->late_status == SPOC_BE_OK) {
        return true;
    }
    const std::int32_t status = std::exchange(stream->late_status, SPOC_BE_OK);
    now.fail({.status = status, .native_code = 998, .tag = std::exchange(stream->late_tag, 0)},
             "Work that was launched earlier failed as the mock was told.");
    return false;
}

void prove(spoc_be_stream stream, std::uint64_t sequence) {
    stream->proved = std::max(stream->proved, sequence);
}

bool is_unused(state& all, const object& buffer, bool writers_only) {
    const auto streams = all_streams(all);
    return std::none_of(streams.begin(), streams.end(), [&](spoc_be_stream stream) {
        return std::any_of(stream->queue.begin(), stream->queue.end(), [&](const operation& work) {
            return std::any_of(work.uses.begin(), work.uses.end(), [&](const operation::use& use) {
                return use.buffer == buffer.number && (use.writes || !writers_only);
            });
        });
    });
}

bool step_towards_unused(state& all, const object& buffer, bool writers_only) {
    for (spoc_be_stream stream : all_streams(all)) {
        for (const operation& work : stream->queue) {
            const bool uses =
                std::any_of(work.uses.begin(), work.uses.end(), [&](const operation::use& use) {
                    return use.buffer == buffer.number && (use.writes || !writers_only);
                });
            if (uses) {
                return step_towards(all, stream);
            }
        }
    }
    return false;
}

}  // namespace spoc::mock
