// SPDX-License-Identifier: Apache-2.0

/// \file
/// Steps of a trial that are about ranges of vectors.

#include <utility>

#include "trial.hpp"

namespace spoc::model {

void trial::write_range() { move_range(true); }
void trial::read_range() { move_range(false); }

void trial::move_range(bool up) {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    std::size_t offset = 0;
    std::size_t count = 0;
    some_range(v->bytes(), offset, count);
    const host_span host = some_host(count);
    lane* const on = one_in(3) ? nullptr : some_lane(v->device);
    const memory_pointer there = v->state == SPOC_LOCATION_HOST ? nullptr : v->on.at(v->device);
    prediction wanted;
    wanted.refuse(v->freed, SPOC_SUB_FREED);
    wanted.refuse(v->writing, SPOC_SUB_BUSY);
    wanted.refuse(offset > v->bytes() || count > v->bytes() - offset, SPOC_SUB_BOUNDS);
    wanted.refuse(!v->device_is_fresh() && (there == nullptr || !there->is_host),
                  SPOC_SUB_LOCATION);
    wanted.refuse(v->state != SPOC_LOCATION_HOST && on != nullptr && on->device != v->device,
                  SPOC_SUB_DEVICE);
    wanted.refuse(v->state != SPOC_LOCATION_HOST && on != nullptr && on->closed,
                  SPOC_SUB_DESTROYED);
    wanted.copies = 0;
    const bool moves = wanted.refusals.empty() && count > 0;
    const host_copy copy{there, offset, host, up};
    if (moves) {
        lane& runs_on = on != nullptr ? *on : default_lane(v->device);
        if (on == nullptr) {
            settle(there, wanted);
        }
        if (!put_in_order(copy.touches(), &runs_on, wanted.may, on == nullptr)) {
            return;
        }
        // What was pending when it was settled may have run since.
        wanted = {};
        wanted.copies = 0;
        if (on == nullptr) {
            settle(there, wanted);
            predict_now(there->device, host, up, wanted);
        } else {
            predict_enqueued(copy, shared(*on), wanted);
        }
    }
    token* lent = nullptr;
    std::shared_ptr<const void> held = lend(lent);
    const spoc_owner owner = lent != nullptr ? lent->owner() : spoc_owner{};
    if (moves && on != nullptr) {
        wanted.enqueued = [&] { add_enqueued(copy, *on, held, wanted.taken); };
    }
    const spoc_stream stream = on != nullptr ? on->handle : nullptr;
    const bool done =
        call(up ? "vector_write_range" : "vector_read_range", wanted, [&](spoc_error* error) {
            return up ? spoc_vector_write_range(v->handle, offset, host.start, count, stream,
                                                &owner, error)
                      : spoc_vector_read_range(v->handle, offset, host.start, count, stream, &owner,
                                               error);
        });
    wanted.enqueued = nullptr;
    if (done && moves && on == nullptr) {
        copy.effect()();
    }
    if (done && moves && up && v->state == SPOC_LOCATION_BOTH && !there->is_host) {
        v->state = SPOC_LOCATION_STALE_HOST;
    }
    if (!done && lent != nullptr) {
        expect(lent->released == 0, "a call that failed gave back what was lent");
        lent->released = 1;
    }
    held.reset();
    if (done && !up && (on == nullptr || !held_)) {
        compare_host(host);
    }
    compare_vector(*v);
}

}  // namespace spoc::model
