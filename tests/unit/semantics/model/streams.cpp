// SPDX-License-Identifier: Apache-2.0

/// \file
/// Steps of a trial that are about streams and events, and about what runs.

#include <algorithm>
#include <mutex>
#include <utility>

#include "trial.hpp"

namespace spoc::model {
namespace {

constexpr std::size_t most_lanes = 12;
constexpr std::size_t most_events = 8;

/// Number of the stream that this thread has made just now.
std::uint64_t last_stream_made(const spoc_mock_gate& gate) {
    spoc_mock_call call{};
    call.size = sizeof call;
    for (std::uint64_t i = gate.record_count(); i > 0; --i) {
        if (gate.record_at(i - 1, &call) != 0 && call.entry == spoc_mock_entry_stream_create) {
            return call.stream;
        }
    }
    return 0;
}

/// Held while a stream is made, since its number is found in the log.
std::mutex& making_stream() {
    static std::mutex instance;
    return instance;
}

}  // namespace

/* ---- Streams ---- */

void trial::reap(std::size_t device) {
    std::erase_if(machine_.lanes, [&](const lane_pointer& one) {
        const bool over = one->device == device && one->handle == nullptr && one->queue.empty();
        counts_.streams -= over ? 1 : 0;
        return over;
    });
}

void trial::create_stream() {
    if (machine_.lanes.size() >= most_lanes) {
        return;
    }
    auto made = std::make_shared<lane>();
    made->device = below(device_count);
    made->non_blocking = !alone_ || one_in(2);
    spoc_stream_options options{};
    options.size = sizeof options;
    options.flags = made->non_blocking ? SPOC_STREAM_NON_BLOCKING : 0;
    const std::lock_guard lock(making_stream());
    if (!alone_) {
        gate_.forget();
    }
    call("stream_create", {}, [&](spoc_error* error) {
        return spoc_stream_create(over_.devices.at(made->device), &options, &made->handle, error);
    });
    made->number = last_stream_made(gate_);
    reap(made->device);
    ++counts_.streams;
    machine_.lanes.push_back(std::move(made));
}

void trial::synchronize(lane& on) {
    prediction wanted;
    wanted.refuse(on.closed, SPOC_SUB_DESTROYED);
    wanted.waits = true;
    machine_.add_all(on, wanted.may);
    wanted.must.assign(on.queue.begin(), on.queue.end());
    if (call("stream_synchronize", wanted,
             [&](spoc_error* error) { return spoc_stream_synchronize(on.handle, error); })) {
        on.release(on.committed);
    }
}

void trial::synchronize_stream() {
    if (lane* const on = some_lane(below(device_count)); on != nullptr) {
        synchronize(*on);
    }
}

void trial::query_stream() {
    lane* const on = some_lane(below(device_count));
    if (on == nullptr) {
        return;
    }
    prediction wanted;
    wanted.refuse(on->closed, SPOC_SUB_DESTROYED);
    std::int32_t idle = 7;
    if (call("stream_query", wanted,
             [&](spoc_error* error) { return spoc_stream_query(on->handle, &idle, error); })) {
        expect(idle == (on->queue.empty() ? 1 : 0), "a stream is not as idle as it says");
        if (idle != 0) {
            on->release(on->committed);
        }
    } else {
        expect(idle == 7, "a call that failed wrote to its output");
    }
}

void trial::flush_stream() {
    if (lane* const on = some_lane(below(device_count)); on != nullptr) {
        prediction wanted;
        wanted.refuse(on->closed, SPOC_SUB_DESTROYED);
        call("stream_flush", wanted,
             [&](spoc_error* error) { return spoc_stream_flush(on->handle, error); });
    }
}

void trial::close_stream() {
    lane* const on = some_lane(below(device_count));
    if (on == nullptr) {
        return;
    }
    const bool ends = !on->is_default && !on->closed;
    prediction wanted;
    if (ends) {
        wanted.waits = true;
        machine_.add_all(*on, wanted.may);
        wanted.must.assign(on->queue.begin(), on->queue.end());
    }
    call("stream_close", wanted,
         [&](spoc_error* error) { return spoc_stream_close(on->handle, error); });
    if (ends) {
        on->release(on->committed);
        on->closed = true;
        --counts_.streams;
    }
    reap(on->device);
}

void trial::destroy_stream() {
    for (std::size_t i = device_count; i < machine_.lanes.size(); ++i) {
        const lane_pointer one = machine_.lanes[i];
        if (one->handle == nullptr || (!alone_ && !one->closed) || one_in(2)) {
            continue;
        }
        call("stream_destroy", {}, [&](spoc_error*) {
            spoc_stream_destroy(one->handle);
            return SPOC_OK;
        });
        one->handle = nullptr;
        if (one->closed) {
            std::erase(machine_.lanes, one);
        }
        reap(one->device);
        return;
    }
}

void trial::synchronize_device() {
    if (!alone_) {
        return;  // it would wait for other threads' work
    }
    const std::size_t device = below(device_count);
    prediction wanted;
    wanted.waits = true;
    for (const lane_pointer& one : machine_.lanes) {
        if (one->device == device && !one->closed) {
            machine_.add_all(*one, wanted.may);
            wanted.must.insert(wanted.must.end(), one->queue.begin(), one->queue.end());
            wanted.settled.push_back({one, one->committed});
        }
    }
    call("device_synchronize", wanted, [&](spoc_error* error) {
        return spoc_device_synchronize(over_.devices.at(device), error);
    });
    reap(device);
}

/* ---- Events ---- */

void trial::create_event() {
    if (events_.size() >= most_events) {
        return;
    }
    auto made = std::make_unique<event_model>();
    made->device = below(device_count);
    made->timed = one_in(2);
    call("event_create", {}, [&](spoc_error* error) {
        return spoc_event_create(over_.devices.at(made->device),
                                 made->timed ? SPOC_EVENT_TIMING : 0, &made->handle, error);
    });
    ++counts_.events;
    events_.push_back(std::move(made));
}

void trial::destroy_event() {
    event_model* const one = any_of(events_);
    if (one == nullptr) {
        return;
    }
    call("event_destroy", {}, [&](spoc_error*) {
        spoc_event_destroy(one->handle);
        return SPOC_OK;
    });
    --counts_.events;
    std::erase_if(events_, [one](const auto& other) { return other.get() == one; });
}

bool trial::record(event_model& mark, lane& on) {
    prediction wanted;
    wanted.refuse(on.device != mark.device, SPOC_SUB_DEVICE);
    wanted.refuse(on.closed, SPOC_SUB_DESTROYED);
    wanted.enqueued = [&] {
        add_work(on, {}, {}, std::nullopt);
        mark.mark = on.queue.back();
        mark.at = on.committed;
        mark.in = shared(on);
    };
    return call("event_record", wanted, [&](spoc_error* error) {
        return spoc_event_record(mark.handle, on.handle, error);
    });
}

bool trial::wait(event_model& mark, lane& on) {
    prediction wanted;
    wanted.refuse(on.closed, SPOC_SUB_DESTROYED);
    wanted.enqueued = [&] {
        if (mark.mark != nullptr) {
            add_work(on, {}, {}, std::nullopt);
            on.queue.back()->after = mark.mark;
        }
    };
    return call("stream_wait_event", wanted, [&](spoc_error* error) {
        return spoc_stream_wait_event(on.handle, mark.handle, error);
    });
}

void trial::record_event() {
    event_model* const mark = any_of(events_);
    lane* const on = mark != nullptr ? some_lane(mark->device) : nullptr;
    if (on != nullptr) {
        record(*mark, *on);
    }
}

void trial::wait_event() {
    event_model* const mark = any_of(events_);
    lane* const on = some_lane(below(device_count));
    if (mark != nullptr && on != nullptr) {
        wait(*mark, *on);
    }
}

void trial::query_event() {
    event_model* const one = any_of(events_);
    if (one == nullptr) {
        return;
    }
    std::int32_t complete = 7;
    call("event_query", {},
         [&](spoc_error* error) { return spoc_event_query(one->handle, &complete, error); });
    const bool ran = one->mark == nullptr || one->mark->ran;
    expect(complete == (ran ? 1 : 0), "an event is not as complete as it says");
    if (const lane_pointer in = one->in.lock(); ran && in != nullptr) {
        in->release(one->at);
    }
}

void trial::synchronize_event() {
    event_model* const one = any_of(events_);
    if (one == nullptr) {
        return;
    }
    prediction wanted;
    wanted.waits = true;
    if (one->mark != nullptr && !one->mark->ran) {
        machine_.add_with_predecessors(*one->mark, wanted.may);
        wanted.must.push_back(one->mark);
    }
    call("event_synchronize", wanted,
         [&](spoc_error* error) { return spoc_event_synchronize(one->handle, error); });
    if (const lane_pointer in = one->in.lock(); in != nullptr) {
        in->release(one->at);
    }
}

void trial::measure_events() {
    event_model* const start = any_of(events_);
    event_model* const stop = any_of(events_);
    if (start == nullptr) {
        return;
    }
    prediction wanted;
    wanted.refuse(start->device != stop->device, SPOC_SUB_DEVICE);
    wanted.refuse(!start->timed || !stop->timed, SPOC_SUB_VALUE);
    wanted.refuse(start->mark == nullptr || stop->mark == nullptr, SPOC_SUB_VALUE);
    if (wanted.refusals.empty() && !(start->mark->ran && stop->mark->ran)) {
        wanted.refuse(true, SPOC_SUB_BUSY);
        wanted.asks = true;
    }
    double milliseconds = -1e9;
    const bool done = call("event_elapsed", wanted, [&](spoc_error* error) {
        return spoc_event_elapsed(start->handle, stop->handle, &milliseconds, error);
    });
    expect(done == (milliseconds != -1e9), "a time is given, or is not, against the answer");
    expect(!done || start != stop || milliseconds == 0, "no time is not nought");
}

/* ---- What runs ---- */

void trial::release_some() {
    calling_ = "releasing some work";
    if (!alone_) {
        release_of_one();
        return;
    }
    const std::size_t before = machine_.pending();
    const std::uint64_t ran = gate_.release(0, 1 + below(before + 1));
    prediction wanted;
    wanted.anything = true;
    observe(wanted);
    expect(before - machine_.pending() == ran, "another number of operations ran");
}

void trial::release_of_one() {
    calling_ = "releasing work of one stream";
    const lane& one = *machine_.lanes[below(machine_.lanes.size())];
    const std::size_t most = 1 + below(one.queue.size() + 1);
    std::size_t expected = 0;
    prediction wanted;
    while (expected < std::min(most, one.queue.size())) {
        const work& next = *one.queue[expected];
        const bool ordered = next.after == nullptr || next.after->ran || next.after->in == &one;
        const bool blocked = std::any_of(
            machine_.lanes.begin(), machine_.lanes.end(), [&](const lane_pointer& other) {
                return one.is_ordered_with(*other) && !other->queue.empty() &&
                       other->queue.front()->sequence < next.sequence;
            });
        if (!ordered || blocked) {
            break;
        }
        wanted.may.insert(&next);
        ++expected;
    }
    const std::uint64_t ran = one.queue.empty() ? 0 : gate_.release(one.number, most);
    observe(wanted);
    expect(ran == expected, "another number of operations ran");
}

void trial::run_all() {
    calling_ = "releasing all work";
    prediction wanted;
    wanted.anything = true;
    for (int round = 0; round < 64 && machine_.pending() > 0; ++round) {
        for (const lane_pointer& one : machine_.lanes) {
            gate_.release(alone_ ? 0 : one->number, SPOC_BE_FOREVER);
        }
        observe(wanted);
    }
    expect(machine_.pending() == 0, "work never runs");
}

void trial::switch_holding() {
    run_all();
    if (!alone_ || (held_ && !one_in(6))) {
        return;
    }
    held_ = !held_;
    keeps_done_ = !held_ && one_in(2);
    gate_.set(SPOC_MOCK_HOLD, held_ ? 1 : 0);
    gate_.set(SPOC_MOCK_DONE, keeps_done_ ? SPOC_BE_DONE_NOTHING : SPOC_MOCK_DONE_HONEST);
}

}  // namespace spoc::model
