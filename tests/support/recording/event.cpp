// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "call.hpp"
#include "entries.hpp"
#include "request.hpp"
#include "work.hpp"

namespace spoc::mock {
namespace {

constexpr double ns_per_operation = 1000;

double time_ns(state& all) {
    if (all.set.get(SPOC_MOCK_CLOCK) == 0) {
        return static_cast<double>(all.ran) * ns_per_operation;
    }
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

/// How a recording is waited for.
goal completion(state& all, const std::shared_ptr<recording>& mark) {
    return {[mark] { return mark == nullptr || mark->complete; },
            [mark, &all] {
                spoc_be_stream stream = find_stream(all, mark->stream);
                return stream != nullptr && step_towards(all, stream);
            }};
}

/// What is left of an event's query or wait: completion of a recording proves its stream's work up
/// to it.
std::int32_t conclude(call& now, const std::shared_ptr<recording>& mark) {
    if (now.status() == SPOC_BE_OK && mark != nullptr) {
        if (spoc_be_stream stream = find_stream(now.all, mark->stream); stream != nullptr) {
            prove(stream, mark->sequence);
        }
    }
    return now.status();
}

bool may_order(call& now, spoc_be_stream stream, spoc_be_event event) {
    if (event->device == stream->device) {
        return true;
    }
    const std::uint32_t peer =
        now.all.described.peer(event->device->info.index, stream->device->info.index,
                               static_cast<std::uint32_t>(now.all.set.get(SPOC_MOCK_PEER)));
    if ((peer & SPOC_BE_PEER_EVENTS) == 0) {
        now.breach("An event of another device is waited for, which peer_query does not allow.");
        return false;
    }
    return true;
}

}  // namespace

std::int32_t event_create(spoc_be_device device, std::uint32_t flags, spoc_be_event* out,
                          spoc_be_error* error) {
    call now(spoc_mock_entry_event_create, device, error);
    now.record.flags = flags;
    if (!now.begin() || !takes(now, flags, SPOC_BE_EVENT_TIMING, nullptr)) {
        return now.status();
    }
    if ((flags & SPOC_BE_EVENT_TIMING) != 0 && !has(now, SPOC_BE_CAP_EVENT_TIMING)) {
        return now.status();
    }
    *out = now.all.events.make(now.all.recycles(), now.all.next_number(), device, flags);
    ++device->objects;
    now.record.event = (*out)->number;
    return now.status();
}

std::int32_t event_destroy(spoc_be_event event, spoc_be_error* error) {
    call now(spoc_mock_entry_event_destroy, event->device, error);
    now.record.event = event->number;
    now.begin_ending();
    if (!now.is_alive(*event, "event")) {
        return now.status();
    }
    event->current.reset();
    --event->device->objects;
    now.all.events.end(event);
    return now.status();
}

std::int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    const exclusive on_event(*event);
    const exclusive on_stream(*stream);
    call now(spoc_mock_entry_event_record, stream->device, error);
    now.record.event = event->number;
    now.record.stream = stream->number;
    if (!now.begin() || !now.is_alive(*event, "event") || !now.is_alive(*stream, "stream") ||
        !on_event.holds(now) || !on_stream.holds(now)) {
        return now.status();
    }
    if (event->device != stream->device) {
        return now.breach("An event is recorded on a stream of another device.");
    }
    if ((event->flags & SPOC_BE_EVENT_TIMING) != 0 &&
        (stream->flags & SPOC_BE_STREAM_TIMING) == 0) {
        return now.refuse("An event with timing is recorded on a stream without.");
    }
    submit(now.all, stream);
    if (!tell_late_failure(now, stream)) {
        return now.status();
    }
    auto mark = std::make_shared<recording>();
    mark->stream = stream->number;
    mark->sequence = now.all.sequence + 1;
    event->current = mark;
    operation work;
    work.run = [mark, &all = now.all] {
        mark->time_ns = time_ns(all);
        mark->complete = true;
    };
    enqueue(now, stream, std::move(work), false);
    return now.status();
}

std::int32_t event_query(spoc_be_event event, spoc_be_error* error) {
    call now(spoc_mock_entry_event_query, event->device, error);
    now.record.event = event->number;
    if (!now.begin() || !now.is_alive(*event, "event")) {
        return now.status();
    }
    const auto mark = event->current;
    now.answer(mark == nullptr || mark->complete ? SPOC_BE_OK : SPOC_BE_NOT_READY);
    return conclude(now, mark);
}

std::int32_t event_sync(spoc_be_event event, std::uint64_t timeout_ns, spoc_be_error* error) {
    call now(spoc_mock_entry_event_sync, event->device, error);
    now.record.event = event->number;
    now.record.timeout_ns = timeout_ns;
    if (!now.begin() || !now.is_alive(*event, "event")) {
        return now.status();
    }
    const auto mark = event->current;
    wait_for(now, completion(now.all, mark), timeout_ns);
    return conclude(now, mark);
}

std::int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns,
                           spoc_be_error* error) {
    call now(spoc_mock_entry_event_elapsed, start->device, error);
    now.record.event = start->number;
    now.record.other_event = stop->number;
    if (!now.begin() || !has(now, SPOC_BE_CAP_EVENT_TIMING) || !now.is_alive(*start, "event") ||
        !now.is_alive(*stop, "event")) {
        return now.status();
    }
    if ((start->flags & stop->flags & SPOC_BE_EVENT_TIMING) == 0) {
        return now.breach("The time between events without timing is asked for.");
    }
    if (start->current == nullptr || stop->current == nullptr) {
        return now.fail({.status = SPOC_BE_INVALID}, "One of the events was never recorded.");
    }
    if (!start->current->complete || !stop->current->complete) {
        return now.answer(SPOC_BE_NOT_READY);
    }
    *ns = stop->current->time_ns - start->current->time_ns;
    return now.status();
}

std::int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error) {
    const exclusive on_event(*event);
    const exclusive on_stream(*stream);
    call now(spoc_mock_entry_stream_wait, stream->device, error);
    now.record.stream = stream->number;
    now.record.event = event->number;
    if (!now.begin() || !now.is_alive(*event, "event") || !now.is_alive(*stream, "stream") ||
        !on_event.holds(now) || !on_stream.holds(now) || !may_order(now, stream, event)) {
        return now.status();
    }
    const auto mark = event->current;
    if (mark == nullptr) {
        return now.status();
    }
    if (!now.offers(SPOC_BE_CAP_EVENT_WAIT_DEVICE)) {
        wait_for(now, completion(now.all, mark), SPOC_BE_FOREVER);
        return now.status();
    }
    operation work;
    work.after = mark;
    enqueue(now, stream, std::move(work), false);
    return now.status();
}

}  // namespace spoc::mock
