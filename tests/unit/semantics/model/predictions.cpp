// SPDX-License-Identifier: Apache-2.0

/// \file
/// What calls of a trial have to come to: which work runs in them, in what order copies are, what
/// is waited for, and where there is room.

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "trial.hpp"

namespace spoc::model {

std::vector<trial::route_part> trial::route(std::size_t device, const std::byte* start,
                                            std::size_t count) const {
    const std::size_t most = device == staging_device ? over_.limit.pageable_max : SIZE_MAX;
    std::vector<route_part> parts;
    auto next = listed_.upper_bound(const_cast<std::byte*>(start));
    if (next != listed_.begin() && std::prev(next)->second->end() > start) {
        --next;
    }
    for (const std::byte* at = start; at < start + count;) {
        const bool inside = next != listed_.end() && next->first <= at;
        const std::byte* border = start + count;
        if (next != listed_.end()) {
            border = std::min<const std::byte*>(border, inside ? next->second->end() : next->first);
        }
        const bool locked = inside && next->second->serves(device);
        const bool staged = !locked && static_cast<std::size_t>(border - at) > most;
        if (staged || parts.empty() || parts.back().staged) {
            parts.push_back({staged, {}});
        }
        if (locked) {
            parts.back().within.push_back(next->second->shared_from_this());
        }
        at = border;
        next = inside ? std::next(next) : next;
    }
    return parts;
}

bool trial::is_staged(const std::vector<route_part>& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [](const route_part& one) { return one.staged; });
}

std::function<void()> trial::host_copy::effect() const {
    const extent there = device_part();
    const extent here = host.model;
    return up ? std::function<void()>([=] { std::memmove(there.data(), here.data(), there.count); })
              : [=] { std::memmove(here.data(), there.data(), there.count); };
}

std::function<void()> trial::host_copy::effect_of(const taken_bytes& taken) const {
    // Nothing is taken when the copy runs in the call.
    return [there = device_part(), here = host.model, taken] {
        std::memcpy(there.data(), taken->empty() ? here.data() : taken->data(), there.count);
    };
}

void trial::predict_source(const host_span& host, const lane_pointer& on, prediction& to) {
    const std::byte* const end = host.start + host.model.count;
    const auto wait_for = [&](const lane_pointer& one) {
        to.must.insert(to.must.end(), one->queue.begin(), one->queue.end());
        to.settled.push_back({one, one->committed});
    };
    bool elsewhere = false;
    for (const lane_pointer& one : machine_.lanes) {
        if (one->writes_host(host.start, end)) {
            elsewhere = elsewhere || one->device != on->device;
            if (one->device == on->device) {
                wait_for(one);
            }
        }
    }
    if (elsewhere) {
        wait_for(on);
    }
}

void trial::predict_turn(const lane& on, prediction& to) {
    to.waits = true;
    machine_.add_before(on, to.may);
    for (const lane_pointer& one : machine_.lanes) {
        if (one.get() == &on || one->is_ordered_with(on)) {
            to.must.insert(to.must.end(), one->queue.begin(), one->queue.end());
        }
    }
}

void trial::predict_now(std::size_t device, const host_span& host, bool up, prediction& to) {
    const lane& on = default_lane(device);
    const auto parts = route(device, host.start, host.model.count);
    to.anything = to.anything || is_staged(parts);
    to.copies += static_cast<int>(parts.size());
    if (up && is_staged(parts)) {
        predict_source(host, shared(on), to);
    }
    predict_turn(on, to);
}

void trial::predict_enqueued(const host_copy& copy, const lane_pointer& on, prediction& to) {
    const auto parts = route(copy.memory->device, copy.host.start, copy.host.model.count);
    to.copies = static_cast<int>(parts.size());
    if (!is_staged(parts)) {
        return;
    }
    to.waits = true;
    to.anything = true;
    const bool any_direct =
        std::any_of(parts.begin(), parts.end(), [](const route_part& one) { return !one.staged; });
    if (copy.up) {
        predict_source(copy.host, on, to);
    }
    if (copy.up && !any_direct) {
        to.taken = std::make_shared<std::vector<std::byte>>();
        to.first = [taken = to.taken, from = copy.host.model] {
            taken->assign(from.data(), from.data() + from.count);
        };
    } else if (!any_direct) {
        to.first = copy.effect();
    }
}

void trial::add_work(lane& on, std::vector<touch> touches, std::function<void()> effect,
                     std::optional<entry> kept) {
    auto made = std::make_shared<work>();
    made->sequence = ++sequence_;
    made->in = &on;
    made->touches = std::move(touches);
    made->effect = std::move(effect);
    on.queue.push_back(std::move(made));
    if (kept) {
        kept->at = ++on.committed;
        if (held_ || keeps_done_) {
            on.ledger.push_back(std::move(*kept));
        }
    }
}

void trial::add_enqueued(const host_copy& copy, lane& on, const std::shared_ptr<const void>& lent,
                         const taken_bytes& taken) {
    std::vector<touch> touches = copy.touches();
    if (taken != nullptr) {
        touches.pop_back();  // the source is the program's again
    }
    work_pointer last;
    for (const route_part& part :
         route(copy.memory->device, copy.host.start, copy.host.model.count)) {
        if (part.staged && !copy.up) {
            ++on.committed;
            continue;
        }
        entry kept;
        kept.uses.reserve(6);
        kept.uses.emplace_back(copy.memory);
        if (!part.staged) {
            kept.uses.emplace_back(lent);
            kept.uses.insert(kept.uses.end(), part.within.begin(), part.within.end());
            kept.begin = copy.host.start;
            kept.end = copy.host.start + copy.host.model.count;
            kept.writes_host = !copy.up;
        }
        add_work(on, touches, {}, std::move(kept));
        last = on.queue.back();
        if (part.staged) {
            add_work(on, {}, {}, std::nullopt);  // the slot's mark
        }
    }
    if (last != nullptr) {
        last->effect = taken != nullptr ? copy.effect_of(taken) : copy.effect();
    }
}

bool trial::put_in_order(const std::vector<touch>& touches, lane* target, const work_set& besides,
                         bool by_waiting) {
    for (int attempt = 0; attempt < 16; ++attempt) {
        work_set ordered = besides;
        machine_.add_before(*target, ordered);
        const std::vector<lane*> others = machine_.conflicts(touches, ordered);
        if (others.empty()) {
            return true;
        }
        lane& other = *others.front();
        if (other.handle == nullptr) {
            run_all();
        } else if (by_waiting || target->handle == nullptr || one_in(3)) {
            synchronize(other);
        } else {
            auto found = std::find_if(events_.begin(), events_.end(),
                                      [&](const auto& one) { return one->device == other.device; });
            if (found == events_.end()) {
                synchronize(other);
            } else if (!record(**found, other) || !wait(**found, *target)) {
                fail("an event does not order two streams");
            }
        }
    }
    return false;
}

void trial::settle(const memory_pointer& what, prediction& to) {
    if (what == nullptr) {
        return;
    }
    for (const lane_pointer& one : machine_.lanes) {
        if (one->device == what->device && (what->is_host || !one->precedes_default()) &&
            one->needs(what.get())) {
            machine_.add_all(*one, to.may);
            to.must.insert(to.must.end(), one->queue.begin(), one->queue.end());
            to.settled.push_back({one, one->committed});
            to.waits = true;
        }
    }
}

void trial::settle_host(const vector_model& v, prediction& to) { settle(v.on.at(host_device), to); }

void trial::predict_move(const vector_model& v, const memory_pointer& memory, bool up,
                         prediction& to) {
    settle(memory, to);
    if (!memory->is_host && v.bytes() > 0) {
        settle_host(v, to);
        predict_now(memory->device, v.host, up, to);
    }
}

std::uint32_t trial::room_for(std::size_t device, std::size_t bytes, bool is_host) {
    if (bytes > over_.limit.largest) {
        return SPOC_SUB_TOO_LARGE;
    }
    if (is_host || fits(device, bytes)) {
        return 0;
    }
    ++counts_.accounts.at(device).retries;
    // What completed work kept is looked for.
    for (const lane_pointer& one : machine_.lanes) {
        if (one->device == device && one->queue.empty()) {
            one->release(one->committed);
        }
    }
    return fits(device, bytes) ? 0 : SPOC_SUB_OOM;
}

memory_pointer trial::make_memory(std::size_t device, std::size_t bytes) {
    // What the recording plugin gives is not empty.
    return std::make_shared<memory>(counts_, device,
                                    std::make_shared<place>(bytes, std::byte{0xA5}), false);
}

std::shared_ptr<const void> trial::lend(token*& out) {
    out = nullptr;
    if (one_in(2)) {
        return nullptr;
    }
    tokens_.push_back(std::make_unique<token>());
    out = tokens_.back().get();
    return {out, [](const void* lent) {
                auto* const one = static_cast<token*>(const_cast<void*>(lent));
                one->expected = true;
            }};
}

}  // namespace spoc::model
