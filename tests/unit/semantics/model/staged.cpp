// SPDX-License-Identifier: Apache-2.0

/// \file
/// Steps of a trial that are about staged writes.

#include <algorithm>
#include <cstring>
#include <utility>

#include <spoc/copy.h>

#include "trial.hpp"

namespace spoc::model {

/// A write whose source is the program's again when the call returns.
struct staged_write {
    memory_pointer there;
    std::size_t offset;
    std::shared_ptr<std::vector<std::byte>> source;
    lane* on;
    bool settles;  ///< no stream is given

    std::size_t bytes() const { return source->size(); }
    extent part() const { return {there->in, offset, bytes()}; }
    std::function<void()> effect() const {
        return [target = part(), taken = source] {
            std::copy(taken->begin(), taken->end(), target.data());
        };
    }
};

namespace {

bool is_taken_by_driver(const limits& described, const staged_write& write) {
    return write.bytes() <= described.inline_write(write.there->device) &&
           write.offset % described.inline_align == 0 &&
           write.bytes() % described.inline_align == 0;
}

}  // namespace

void trial::predict_ring(const staged_write& write, prediction& to) {
    staging_ring& ring = rings_.at(write.there->device);
    counts_.accounts.at(write.there->device).ring_bytes = staging_ring::bytes;
    proofs proved;
    for (const proof& one : to.settled) {
        proved[one.in.get()] = std::max(proved[one.in.get()], one.at);
    }
    std::vector<staging_ring::waiting> waits;
    ring_piece& piece = ring.take(machine_, shared(*write.on), write.bytes(), proved, waits);
    for (const staging_ring::waiting& one : waits) {
        to.waits = true;
        to.settled.push_back({one.in, one.at});
        if (one.mark == nullptr) {
            machine_.add_all(*one.in, to.may);
            to.must.insert(to.must.end(), one.in->queue.begin(), one.in->queue.end());
        } else if (!one.mark->ran) {
            machine_.add_with_predecessors(*one.mark, to.may);
            to.must.push_back(one.mark);
        }
    }
    to.enqueued = [this, write, &piece] {
        if (piece.has_mark) {
            piece.marked = write.on->committed;
            add_work(*write.on, {}, {}, std::nullopt);
            piece.mark = write.on->queue.back();
        }
        add_work(*write.on, {{write.part(), true}}, write.effect(),
                 entry{0, {write.there, piece.need}});
        piece.at = write.on->committed;
    };
}

void trial::predict_staged(const staged_write& write, prediction& to) {
    to.copies = 1;
    if (write.settles) {
        settle(write.there, to);
    }
    if (write.there->device == host_device) {
        predict_turn(*write.on, to);
    } else if (is_taken_by_driver(over_.limit, write)) {
        to.enqueued = [this, write] {
            add_work(*write.on, {{write.part(), true}}, write.effect(), entry{0, {write.there}});
        };
    } else {
        predict_ring(write, to);
    }
}

bool trial::call_staged(const staged_write& write, const char* name, const staged_call& make) {
    work_set besides;
    if (write.settles) {
        prediction first;
        settle(write.there, first);
        besides = first.may;
    }
    if (!put_in_order({{write.part(), true}}, write.on, besides, write.settles)) {
        return false;
    }
    prediction wanted;
    predict_staged(write, wanted);
    // The source is gone when the call has returned.
    std::vector<std::byte> source = *write.source;
    const bool done =
        call(name, wanted, [&](spoc_error* error) { return make(source.data(), error); });
    std::fill(source.begin(), source.end(), std::byte{0xEE});
    if (done && write.there->device == host_device) {
        write.effect()();
    }
    return done;
}

std::shared_ptr<std::vector<std::byte>> trial::some_source(std::size_t count) {
    auto made = std::make_shared<std::vector<std::byte>>(count);
    scribble(made->data(), count);
    return made;
}

void trial::stage_into_vector() {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    std::size_t offset = 0;
    std::size_t count = 0;
    some_range(v->bytes(), offset, count);
    const bool too_much = one_in(60);
    count = too_much ? SPOC_MOST_STAGED_BYTES + 1 : count;
    lane* const on = alone_ && one_in(3) ? nullptr : some_lane(v->device);
    if (on == nullptr && !alone_) {
        return;
    }
    const memory_pointer there = v->state == SPOC_LOCATION_HOST ? nullptr : v->on.at(v->device);
    prediction refused;
    refused.refuse(v->freed, SPOC_SUB_FREED);
    refused.refuse(v->writing, SPOC_SUB_BUSY);
    refused.refuse(too_much, SPOC_SUB_TOO_MUCH);
    refused.refuse(!too_much && (offset > v->bytes() || count > v->bytes() - offset),
                   SPOC_SUB_BOUNDS);
    refused.refuse(!v->device_is_fresh() && (there == nullptr || !there->is_host),
                   SPOC_SUB_LOCATION);
    const bool names_one = v->state != SPOC_LOCATION_HOST;
    refused.refuse(names_one && on != nullptr && on->device != v->device, SPOC_SUB_DEVICE);
    refused.refuse(names_one && on != nullptr && on->closed, SPOC_SUB_DESTROYED);
    refused.copies = 0;
    const auto make = [&](const std::byte* from, spoc_error* error) {
        return spoc_vector_stage(v->handle, offset, from, count,
                                 on != nullptr ? on->handle : nullptr, error);
    };
    if (refused.refusals.empty() && count > 0) {
        lane* const runs_on = on != nullptr ? on : &default_lane(v->device);
        if (call_staged({there, offset, some_source(count), runs_on, on == nullptr}, "vector_stage",
                        make) &&
            v->state == SPOC_LOCATION_BOTH && !there->is_host) {
            v->state = SPOC_LOCATION_STALE_HOST;
        }
    } else {
        call("vector_stage", refused,
             [&](spoc_error* error) { return make(scratch_.start, error); });
    }
    compare_vector(*v);
}

void trial::stage_into_buffer() {
    buffer_model* const b = any_of(buffers_);
    lane* const on = b != nullptr ? some_lane(b->device) : nullptr;
    if (on == nullptr) {
        return;
    }
    std::size_t offset = 0;
    std::size_t count = 0;
    some_range(b->bytes, offset, count);
    stage_into(*b, *on, offset, one_in(60) ? SPOC_MOST_STAGED_BYTES + 1 : count);
}

void trial::stage_into(buffer_model& b, lane& on, std::size_t offset, std::size_t count) {
    const bool too_much = count > SPOC_MOST_STAGED_BYTES;
    prediction refused;
    refused.refuse(b.memory == nullptr, SPOC_SUB_FREED);
    refused.refuse(too_much, SPOC_SUB_TOO_MUCH);
    refused.refuse(!too_much && (offset > b.bytes || count > b.bytes - offset), SPOC_SUB_BOUNDS);
    refused.refuse(on.device != b.device, SPOC_SUB_DEVICE);
    refused.refuse(on.closed, SPOC_SUB_DESTROYED);
    refused.copies = 0;
    const auto make = [&](const std::byte* from, spoc_error* error) {
        return spoc_enqueue_staged(on.handle, from, count, b.handle, offset, error);
    };
    if (refused.refusals.empty() && count > 0) {
        call_staged({b.memory, offset, some_source(count), &on, false}, "enqueue_staged", make);
    } else {
        call("enqueue_staged", refused,
             [&](spoc_error* error) { return make(scratch_.start, error); });
    }
}

/* ---- The ring, all round ---- */

void trial::create_targets() {
    for (std::size_t i = 0; i < device_count; ++i) {
        if (!alone_ || i == host_device) {
            continue;
        }
        targets_.at(i) = std::make_unique<buffer_model>();
        buffer_model& b = *targets_.at(i);
        b.device = i;
        b.bytes = over_.limit.largest;
        call("buffer_create", {}, [&](spoc_error* error) {
            return spoc_buffer_create(over_.devices.at(i), b.bytes, &b.handle, error);
        });
        b.memory = make_memory(i, b.bytes);
    }
}

void trial::destroy_targets() {
    for (auto& one : targets_) {
        if (one != nullptr) {
            call("buffer_destroy", {},
                 [&](spoc_error* error) { return spoc_buffer_destroy(one->handle, error); });
            one.reset();
        }
    }
}

void trial::stage_all_round() {
    const std::size_t device = below(2);
    buffer_model* const b = targets_.at(device).get();
    lane* const most = open_lane(device);
    if (b == nullptr || most == nullptr || (!held_ && !keeps_done_)) {
        return;
    }
    const std::size_t least = one_in(2) ? b->bytes - 1000 : 1 + below(b->bytes);
    std::size_t left = staging_ring::bytes + below(staging_ring::bytes);
    while (left > 0) {
        const std::size_t count = std::min(left, least + below(b->bytes - least + 1));
        lane* const on = one_in(8) ? open_lane(device) : most;
        stage_into(*b, *on, below(b->bytes - count + 1), count);
        left -= count;
    }
    copy_host(b, false);
}

}  // namespace spoc::model
