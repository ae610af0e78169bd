// SPDX-License-Identifier: Apache-2.0

/// \file
/// Steps of a trial that are about buffers.

#include <algorithm>
#include <cstring>
#include <utility>

#include "trial.hpp"

namespace spoc::model {
namespace {

constexpr std::size_t most_buffers = 12;

bool reaches_beyond(const buffer_model& b, std::size_t offset, std::size_t count) {
    return offset > b.bytes || count > b.bytes - offset;
}

}  // namespace

void trial::create_buffer() {
    if (buffers_.size() >= most_buffers) {
        return;
    }
    auto b = std::make_unique<buffer_model>();
    b->device = below(device_count);
    b->bytes = one_in(40) ? over_.limit.largest + below(2) : some_bytes();
    prediction wanted;
    wanted.late = [&] { return room_for(b->device, b->bytes); };
    if (call("buffer_create", wanted, [&](spoc_error* error) {
            return spoc_buffer_create(over_.devices.at(b->device), b->bytes, &b->handle, error);
        })) {
        b->memory = make_memory(b->device, b->bytes);
        buffers_.push_back(std::move(b));
    } else {
        expect(b->handle == nullptr, "a call that failed wrote to its output");
    }
}

void trial::free_buffer() {
    buffer_model* const b = any_of(buffers_);
    if (b == nullptr) {
        return;
    }
    prediction wanted;
    wanted.refuse(b->memory != nullptr && machine_.needs(b->memory.get()), SPOC_SUB_BUSY);
    if (call("buffer_free", wanted,
             [&](spoc_error* error) { return spoc_buffer_free(b->handle, error); })) {
        free_by_program(b->memory);
    }
}

void trial::destroy_buffer() {
    buffer_model* b = any_of(buffers_);
    for (const auto& one : buffers_) {
        b = one->memory == nullptr ? one.get() : b;
    }
    if (b == nullptr) {
        return;
    }
    call("buffer_destroy", {},
         [&](spoc_error* error) { return spoc_buffer_destroy(b->handle, error); });
    std::erase_if(buffers_, [b](const auto& one) { return one.get() == b; });
}

/* ---- Copies ---- */

void trial::copy_up() { copy_host(any_of(buffers_), true); }
void trial::copy_down() { copy_host(any_of(buffers_), false); }

void trial::copy_host(buffer_model* b, bool up) {
    if (b == nullptr) {
        return;
    }
    std::size_t offset = 0;
    std::size_t count = 0;
    some_range(b->bytes, offset, count);
    const host_span host = some_host(count);
    lane* const on = one_in(3) ? nullptr : some_lane(b->device);
    prediction wanted;
    wanted.refuse(b->memory == nullptr, SPOC_SUB_FREED);
    wanted.refuse(reaches_beyond(*b, offset, count), SPOC_SUB_BOUNDS);
    wanted.refuse(on != nullptr && on->device != b->device, SPOC_SUB_DEVICE);
    wanted.refuse(on != nullptr && on->closed, SPOC_SUB_DESTROYED);
    wanted.copies = 0;
    const bool moves = wanted.refusals.empty() && count > 0;
    const host_copy copy{b->memory, offset, host, up};
    if (moves) {
        lane& runs_on = on != nullptr ? *on : default_lane(b->device);
        if (!put_in_order(copy.touches(), &runs_on, {}, on == nullptr)) {
            return;
        }
        if (on == nullptr) {
            predict_now(b->device, host, up, wanted);
        } else {
            predict_enqueued(copy, shared(*on), wanted);
        }
    }
    token* lent = nullptr;
    std::shared_ptr<const void> held = on != nullptr ? lend(lent) : nullptr;
    const spoc_owner owner = lent != nullptr ? lent->owner() : spoc_owner{};
    if (moves && on != nullptr) {
        wanted.enqueued = [&] { add_enqueued(copy, *on, held, wanted.taken); };
    }
    const auto make = [&](spoc_error* error) {
        if (on != nullptr) {
            return up ? spoc_enqueue_copy_to_device(on->handle, host.start, count, b->handle,
                                                    offset, &owner, error)
                      : spoc_enqueue_copy_to_host(on->handle, b->handle, offset, host.start, count,
                                                  &owner, error);
        }
        return up ? spoc_copy_to_device(host.start, count, b->handle, offset, error)
                  : spoc_copy_to_host(b->handle, offset, host.start, count, error);
    };
    const char* const names[] = {"copy_to_host", "copy_to_device", "enqueue_copy_to_host",
                                 "enqueue_copy_to_device"};
    const bool done = call(names[(on != nullptr ? 2 : 0) + (up ? 1 : 0)], wanted, make);
    if (done && moves && on == nullptr) {
        copy.effect()();
    }
    if (!done && lent != nullptr) {
        expect(lent->released == 0, "a call that failed gave back what was lent");
        lent->released = 1;
    }
    if (done && !up) {
        compare_host(host);
    }
}

void trial::copy_across() {
    buffer_model* const from = any_of(buffers_);
    buffer_model* const to = any_of(buffers_);
    if (from == nullptr) {
        return;
    }
    std::size_t from_offset = 0;
    std::size_t count = 0;
    some_range(std::min(from->bytes, to->bytes), from_offset, count);
    const std::size_t to_offset =
        one_in(30) ? to->bytes : below(to->bytes - std::min(count, to->bytes) + 1);
    lane* const on = one_in(3) ? nullptr : some_lane(to->device);
    prediction wanted;
    wanted.refuse(from->memory == nullptr || to->memory == nullptr, SPOC_SUB_FREED);
    wanted.refuse(
        reaches_beyond(*from, from_offset, count) || reaches_beyond(*to, to_offset, count),
        SPOC_SUB_BOUNDS);
    wanted.refuse(on != nullptr && on->device != to->device, SPOC_SUB_DEVICE);
    wanted.refuse(on != nullptr && on->closed, SPOC_SUB_DESTROYED);
    wanted.refuse(from == to && count > 0 && from_offset < to_offset + count &&
                      to_offset < from_offset + count,
                  SPOC_SUB_OVERLAP);
    wanted.copies = 0;
    const bool moves = wanted.refusals.empty() && count > 0;
    std::function<void()> effect;
    if (moves) {
        const extent source{from->memory->in, from_offset, count};
        const extent target{to->memory->in, to_offset, count};
        const std::vector<touch> touches{{source, false}, {target, true}};
        lane& runs_on = on != nullptr ? *on : default_lane(to->device);
        if (!put_in_order(touches, &runs_on, {}, on == nullptr)) {
            return;
        }
        effect = [=] { std::memmove(target.data(), source.data(), count); };
        wanted.copies = 1;
        if (on == nullptr) {
            if (from->device != to->device) {
                const lane_pointer& other = machine_.lanes.at(from->device);
                machine_.add_all(*other, wanted.may);
                wanted.must.assign(other->queue.begin(), other->queue.end());
                wanted.settled.push_back({other, other->committed});
            }
            wanted.waits = true;
            machine_.add_before(runs_on, wanted.may);
        } else {
            wanted.enqueued = [this, on, touches, effect, from, to] {
                add_work(*on, touches, effect, entry{0, {from->memory, to->memory}});
            };
        }
    }
    const bool done =
        call(on != nullptr ? "enqueue_copy_on_device" : "copy_on_device", wanted,
             [&](spoc_error* error) {
                 return on != nullptr
                            ? spoc_enqueue_copy_on_device(on->handle, from->handle, from_offset,
                                                          to->handle, to_offset, count, error)
                            : spoc_copy_on_device(from->handle, from_offset, to->handle, to_offset,
                                                  count, error);
             });
    if (done && moves && on == nullptr) {
        effect();
    }
}

void trial::fill_buffer() {
    buffer_model* const b = any_of(buffers_);
    if (b == nullptr) {
        return;
    }
    std::size_t offset = 0;
    std::size_t count = 0;
    some_range(b->bytes, offset, count);
    const std::uint32_t width = one_in(20) ? 3 : 1U << below(3);
    if (!one_in(20) && width != 3 && !reaches_beyond(*b, offset, count)) {
        offset -= offset % width;
        count -= count % width;
    }
    const auto pattern = static_cast<std::uint32_t>(random_());
    lane* const on = one_in(3) ? nullptr : some_lane(b->device);
    prediction wanted;
    wanted.refuse(b->memory == nullptr, SPOC_SUB_FREED);
    wanted.refuse(reaches_beyond(*b, offset, count), SPOC_SUB_BOUNDS);
    wanted.refuse(width == 3, SPOC_SUB_VALUE);
    wanted.refuse(width != 3 && (offset % width != 0 || count % width != 0), SPOC_SUB_LENGTH);
    wanted.refuse(on != nullptr && on->device != b->device, SPOC_SUB_DEVICE);
    wanted.refuse(on != nullptr && on->closed, SPOC_SUB_DESTROYED);
    wanted.copies = 0;
    const bool moves = wanted.refusals.empty() && count > 0;
    std::function<void()> effect;
    if (moves) {
        const extent target{b->memory->in, offset, count};
        lane& runs_on = on != nullptr ? *on : default_lane(b->device);
        if (!put_in_order({{target, true}}, &runs_on, {}, on == nullptr)) {
            return;
        }
        effect = [=] {
            for (std::size_t i = 0; i < count; ++i) {
                target.data()[i] = static_cast<std::byte>(pattern >> (8 * (i % width)));
            }
        };
        if (on == nullptr) {
            wanted.waits = true;
            machine_.add_before(runs_on, wanted.may);
        } else {
            wanted.enqueued = [this, on, target, effect, b] {
                add_work(*on, {{target, true}}, effect, entry{0, {b->memory}});
            };
        }
    }
    const bool done = call(on != nullptr ? "enqueue_fill" : "fill", wanted, [&](spoc_error* error) {
        return on != nullptr
                   ? spoc_enqueue_fill(on->handle, b->handle, offset, count, pattern, width, error)
                   : spoc_fill(b->handle, offset, count, pattern, width, error);
    });
    if (done && moves && on == nullptr) {
        effect();
    }
}

}  // namespace spoc::model
