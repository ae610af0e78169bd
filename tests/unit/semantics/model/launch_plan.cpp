// SPDX-License-Identifier: Apache-2.0

/// \file
/// What launches come to: which vectors are moved first and what is waited for, in which order the
/// work is, and which copy is the newest afterwards.

#include "launch_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace spoc::model {
namespace {

/// Where a vector's newest copy is.
struct location {
    std::uint32_t state;
    std::size_t device;
};

/// What is done with a vector before a kernel may work on it.
struct preparation {
    bool reads_back = false;
    bool uploads = false;
    location after;
};

preparation prepare_from(const location& now, const launch_argument& one, bool in_host_memory,
                         std::size_t device) {
    const bool host_is_fresh =
        now.state != SPOC_LOCATION_DEVICE && now.state != SPOC_LOCATION_STALE_HOST;
    const bool is_there = now.state != SPOC_LOCATION_HOST &&
                          now.state != SPOC_LOCATION_STALE_DEVICE && now.device == device;
    if (one.overwrites() || (in_host_memory ? host_is_fresh : is_there)) {
        return {false, false, now};
    }
    return in_host_memory ? preparation{true, false, {SPOC_LOCATION_BOTH, now.device}}
                          : preparation{!host_is_fresh, true, {SPOC_LOCATION_BOTH, device}};
}

bool works_in_host(const vector_model& v, std::size_t device) {
    return device == host_device && v.has_host();
}

}  // namespace

memory_pointer trial::memory_for(const vector_model& v, std::size_t device) {
    return works_in_host(v, device)
               ? std::make_shared<memory>(counts_, host_device, v.host.model.in, true)
               : make_memory(device, v.bytes());
}

bool trial::has_room_for(const launch_plan& plan) const {
    std::vector<const vector_model*> seen;
    std::size_t needed = 0;
    for (const launch_argument& one : plan.all) {
        const vector_model* const v = one.vector;
        if (v == nullptr || v->on.at(plan.device) != nullptr ||
            std::count(seen.begin(), seen.end(), v) != 0) {
            continue;
        }
        if (v->bytes() > over_.limit.largest) {
            return false;
        }
        needed += works_in_host(*v, plan.device) ? 0 : v->bytes();
        seen.push_back(v);
    }
    return fits(plan.device, needed);
}

void trial::predict_preparation(const launch_plan& plan, prediction& to) {
    std::map<const vector_model*, location> places;
    for (const launch_argument& one : plan.all) {
        const vector_model* const v = one.vector;
        if (v == nullptr) {
            continue;
        }
        location& place = places.try_emplace(v, location{v->state, v->device}).first->second;
        const memory_pointer& there = v->on.at(plan.device);
        const preparation first =
            prepare_from(place, one, works_in_host(*v, plan.device), plan.device);
        if (first.reads_back) {
            predict_move(*v, v->on.at(place.device), false, to);
        }
        if (first.uploads && there != nullptr) {
            predict_move(*v, there, true, to);
        } else if (first.uploads) {
            settle_host(*v, to);
            predict_now(plan.device, v->host, true, to);
        } else if (plan.on == nullptr) {
            settle(there, to);
        }
        place = first.after;
    }
}

/* ---- What a launch does first, in the reference ---- */

void trial::release_settled(const memory_pointer& what, const std::vector<proof>& idle) {
    for (const proof& one : idle) {
        if (one.in->device == what->device && (what->is_host || !one.in->precedes_default()) &&
            one.in->needs(what.get())) {
            one.in->release(one.at);
        }
    }
}

void trial::prepare_vector(const launch_plan& plan, const launch_argument& one,
                           const std::vector<proof>& idle) {
    vector_model& v = *one.vector;
    const memory_pointer there = v.on.at(plan.device);
    const preparation first = prepare_from({v.state, v.device}, one, there->is_host, plan.device);
    const auto settle_both = [&](const memory_pointer& what) {
        release_settled(what, idle);
        if (const memory_pointer& host = v.on.at(host_device); host != nullptr) {
            release_settled(host, idle);
        }
    };
    if (first.reads_back) {
        settle_both(v.on.at(v.device));
        v.read_back();
    }
    if (first.uploads) {
        settle_both(there);
        there->in->bytes = v.host.model.in->bytes;
    } else if (plan.on == nullptr) {
        release_settled(there, idle);
    }
    v.state = first.after.state;
    v.device = first.after.device;
}

std::uint32_t trial::prepare_vectors(const launch_plan& plan, const std::vector<proof>& idle) {
    struct undo {
        vector_model* vector;
        location before;
        bool made;
    };
    std::vector<undo> done;
    for (const launch_argument& one : plan.all) {
        vector_model* const v = one.vector;
        if (v == nullptr) {
            continue;
        }
        memory_pointer& there = v->on.at(plan.device);
        done.push_back({v, {v->state, v->device}, there == nullptr});
        const std::uint32_t failure =
            there != nullptr ? 0
                             : room_for(plan.device, v->bytes(), works_in_host(*v, plan.device));
        if (failure != 0) {
            for (auto last = done.rbegin(); last != done.rend(); ++last) {
                last->vector->state = last->before.state;
                last->vector->device = last->before.device;
                if (last->made) {
                    last->vector->on.at(plan.device).reset();
                }
            }
            return failure;
        }
        if (there == nullptr) {
            there = memory_for(*v, plan.device);
        }
        prepare_vector(plan, one, idle);
    }
    return 0;
}

/* ---- The launch ---- */

void trial::add_launch(const launch_plan& plan) {
    if (plan.on == nullptr) {
        if (!plan.works_in_host_memory()) {
            add_work(default_lane(plan.device), plan.touches(), plan.effect(), std::nullopt);
        }
        return;
    }
    entry kept;
    kept.uses.emplace_back(kernels_.at(plan.device).at(plan.kernel).object);
    for (const launch_argument& one : plan.all) {
        if (one.is_memory()) {
            kept.uses.emplace_back(one.memory_on(plan.device));
        }
    }
    add_work(*plan.on, plan.touches(), plan.effect(), std::move(kept));
}

void trial::finish_launch(const launch_plan& plan) {
    if (plan.on == nullptr && plan.works_in_host_memory()) {
        plan.effect()();
    }
    for (const launch_argument& one : plan.all) {
        if (one.vector == nullptr || !one.writes) {
            continue;
        }
        vector_model& v = *one.vector;
        if (!v.on.at(plan.device)->is_host) {
            v.state = v.has_host() ? SPOC_LOCATION_STALE_HOST : SPOC_LOCATION_DEVICE;
            v.device = plan.device;
        } else if (v.state != SPOC_LOCATION_HOST && v.device != plan.device) {
            v.state = SPOC_LOCATION_STALE_DEVICE;
        }
    }
}

void trial::launch_planned(launch_plan& plan) {
    if (!has_room_for(plan)) {
        launch_without_room(plan);
        return;
    }
    lane& runs_on = plan.on != nullptr ? *plan.on : default_lane(plan.device);
    prediction first;
    predict_preparation(plan, first);
    if (!put_in_order(plan.touches(), &runs_on, first.may, plan.on == nullptr)) {
        return;
    }
    // What was pending may have run since.
    prediction wanted;
    wanted.copies = 0;
    predict_preparation(plan, wanted);
    if (plan.on == nullptr && plan.works_in_host_memory()) {
        predict_turn(runs_on, wanted);
    }
    for (const launch_argument& one : plan.all) {
        if (one.vector != nullptr && one.vector->on.at(plan.device) == nullptr) {
            one.vector->on.at(plan.device) = memory_for(*one.vector, plan.device);
        }
    }
    wanted.enqueued = [&] {
        if (!held_) {
            // It runs in the call, after these.
            prepare_vectors(plan, {});
        }
        add_launch(plan);
    };
    wanted.first = [&] {
        if (held_) {
            prepare_vectors(plan, {});
        }
    };
    if (call_launch(plan, wanted)) {
        finish_launch(plan);
    }
}

void trial::launch_without_room(launch_plan& plan) {
    // What is idle when memory is looked for would depend on how far the launch got.
    run_all();
    std::vector<proof> idle;
    for (const lane_pointer& one : machine_.lanes) {
        idle.push_back({one, one->committed});
    }
    std::optional<std::uint32_t> failure;
    prediction wanted;
    wanted.enqueued = [&] {
        failure = prepare_vectors(plan, idle);
        if (failure == 0U) {
            add_launch(plan);
        }
    };
    wanted.late = [&] {
        if (!failure) {
            failure = prepare_vectors(plan, idle);
        }
        return *failure;
    };
    if (call_launch(plan, wanted)) {
        finish_launch(plan);
    }
}

}  // namespace spoc::model
