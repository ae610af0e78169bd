// SPDX-License-Identifier: Apache-2.0

/// \file
/// Steps of a trial that are about launches, and what is chosen for them. What they come to is in
/// launch_plan.cpp.

#include <algorithm>
#include <utility>

#include "launch_plan.hpp"

namespace spoc::model {
namespace {

constexpr std::uint32_t no_access = 5;

std::uint32_t resolved(std::uint32_t given, std::uint32_t of_parameter) {
    if (given != SPOC_ACCESS_UNKNOWN) {
        return given;
    }
    return of_parameter == SPOC_ACCESS_IN ? SPOC_ACCESS_IN : SPOC_ACCESS_INOUT;
}

bool takes_elements_of(const spoc_be_param& parameter, const vector_model& v) {
    return parameter.element == SPOC_BE_ELEMENT_UNKNOWN || v.kind == SPOC_KIND_INT32;
}

}  // namespace

/* ---- Kernels ---- */

void trial::load_programs() {
    for (std::size_t i = 0; i < device_count; ++i) {
        calling_ = "program_load";
        spoc_error error = SPOC_ERROR_INIT;
        if (spoc_program_load(over_.devices.at(i), SPOC_FORMAT_NATIVE_SYMBOL, "", 0, nullptr,
                              &programs_.at(i), &error) != SPOC_OK) {
            fail(error.message);
        }
    }
}

trial::kernel_handle& trial::some_kernel(std::size_t device, std::size_t which) {
    kernel_handle& one = kernels_.at(device).at(which);
    if (one.handle == nullptr) {
        call("kernel_get", {}, [&](spoc_error* error) {
            return spoc_kernel_get(programs_.at(device), kernels().at(which).name, nullptr,
                                   &one.handle, error);
        });
        one.object = std::make_shared<kernel_object>(counts_);
    }
    return one;
}

void trial::end_kernel(kernel_handle& one) {
    call("kernel_destroy", {}, [&](spoc_error*) {
        spoc_kernel_destroy(one.handle);
        return SPOC_OK;
    });
    one = {};
}

void trial::destroy_kernel() {
    kernel_handle& one = kernels_.at(below(device_count)).at(below(kernel_count));
    if (one.handle != nullptr) {
        end_kernel(one);
    }
}

void trial::end_programs() {
    for (std::size_t i = 0; i < device_count; ++i) {
        for (kernel_handle& one : kernels_.at(i)) {
            if (one.handle != nullptr) {
                end_kernel(one);
            }
        }
        spoc_program_destroy(std::exchange(programs_.at(i), nullptr));
    }
}

/* ---- What is launched ---- */

bool trial::choose_memory(const launch_plan& plan, launch_argument& out) {
    const bool whatever = one_in(60);
    for (int attempt = 0; attempt < 8; ++attempt) {
        if (one_in(3)) {
            buffer_model* const b = any_of(buffers_);
            if (b != nullptr &&
                (whatever || (b->memory != nullptr && b->bytes > 0 && b->device == plan.device))) {
                out.buffer = b;
                return true;
            }
            continue;
        }
        vector_model* const v = any_of(vectors_);
        if (v != nullptr &&
            (whatever || (!v->freed && !v->writing && v->count > 0 &&
                          (v->has_host() || v->device == plan.device) &&
                          takes_elements_of(plan.kind().parameters.at(out.index), *v)))) {
            out.vector = v;
            return true;
        }
    }
    return false;
}

void trial::choose_range(launch_plan& plan, launch_argument& one) {
    const std::uint64_t size = one.size();
    const std::uint64_t spare = size - std::min<std::uint64_t>(size, plan.count);
    one.offset = one_in(2) ? 0 : below(spare / argument_step + 1) * argument_step;
    one.bytes = one.offset + plan.count == size && one_in(2) ? 0 : plan.count;
    if (one_in(100)) {
        one.offset += 1 + below(3);
    } else if (one_in(100)) {
        one.bytes = one_in(2) ? size + 1 : UINT64_MAX;
    }
}

void trial::choose_access(const launch_plan& plan, launch_argument& one) {
    const std::uint32_t of_kernel = plan.kind().parameters.at(one.index).access;
    if (of_kernel == SPOC_ACCESS_IN) {
        one.access = one_in(8) ? SPOC_ACCESS_INOUT : one_in(2) ? SPOC_ACCESS_IN : 0;
    } else {
        constexpr std::array ways = {SPOC_ACCESS_OUT_FULL, SPOC_ACCESS_OUT, SPOC_ACCESS_INOUT,
                                     SPOC_ACCESS_UNKNOWN};
        // Only what the kernel does not read can be promised to be written as a whole.
        const std::size_t from =
            of_kernel == SPOC_ACCESS_OUT && one.is_inside() && one.shown() == plan.count ? 0 : 1;
        one.access = ways.at(from + below(ways.size() - from));
    }
    if (one_in(150)) {
        one.access = no_access;
    }
    one.writes = resolved(one.access, of_kernel) != SPOC_ACCESS_IN;
}

bool trial::choose_arguments(launch_plan& plan) {
    std::uint64_t least = UINT64_MAX;
    for (std::uint32_t i = 0; i < plan.kind().parameters.size(); ++i) {
        launch_argument& one = plan.all.emplace_back();
        one.index = i;
        if (plan.kind().is_memory(i)) {
            if (!choose_memory(plan, one)) {
                return false;
            }
            least = std::min(least, one.size());
        }
    }
    if (!one_in(4)) {
        least = std::min(least, over_.limit.binding);
    }
    least = std::max<std::uint64_t>(least, 1);
    plan.count = static_cast<std::uint32_t>(one_in(3) ? 1 + below(least) : least);
    for (launch_argument& one : plan.all) {
        if (one.is_memory()) {
            choose_range(plan, one);
            choose_access(plan, one);
        }
    }
    return true;
}

bool trial::plan_launch(launch_plan& out) {
    out.device = below(device_count);
    out.kernel = below(kernel_count);
    out.number = static_cast<std::uint32_t>(random_());
    out.on = alone_ && one_in(2) ? nullptr : some_lane(out.device);
    if ((out.on == nullptr && !alone_) || !choose_arguments(out)) {
        return false;
    }
    for (const launch_argument& one : out.all) {
        spoc_argument& given = out.given.emplace_back();
        given.index = one.index;
        if (one.is_memory()) {
            given.kind = one.vector != nullptr ? SPOC_ARGUMENT_VECTOR : SPOC_ARGUMENT_BUFFER;
            given.vector = one.vector != nullptr ? one.vector->handle : nullptr;
            given.buffer = one.buffer != nullptr ? one.buffer->handle : nullptr;
            given.access = one.access;
            given.offset = one.offset;
            given.bytes = one.bytes;
        } else {
            given.kind = SPOC_ARGUMENT_SCALAR;
            given.element = one_in(2) ? SPOC_ELEMENT_I32 : SPOC_ELEMENT_UNKNOWN;
            given.bytes = sizeof out.number;
            given.data = &out.number;
        }
    }
    std::shuffle(out.given.begin(), out.given.end(), random_);
    out.options.size = sizeof out.options;
    out.options.grid[0] = out.count;
    out.options.grid[1] = out.options.grid[2] = 1;
    out.options.block[0] = static_cast<std::uint32_t>(1 + below(64));
    out.options.block[1] = out.options.block[2] = 1;
    return true;
}

void trial::spoil(launch_plan& plan, prediction& to) {
    spoc_launch_options& options = plan.options;
    spoc_argument& last = plan.given.back();
    switch (below(9)) {
        case 0:
            plan.given.pop_back();
            break;
        case 1:
            plan.given.push_back(last);
            break;
        case 2:
            last.index += 1 + static_cast<std::uint32_t>(below(9));
            break;
        case 3:
            options.grid[below(3)] = 0;
            to.refuse(true, SPOC_SUB_BOUNDS);
            return;
        case 4:
            options.grid[1] = 65536;
            to.refuse(true, SPOC_SUB_BOUNDS);
            return;
        case 5:
            options.block[0] = 32;
            options.block[1] = one_in(2) ? 33 : 2000;
            to.refuse(true, SPOC_SUB_BOUNDS);
            return;
        case 6:
            options.shared_bytes = 49153;
            to.refuse(true, SPOC_SUB_BOUNDS);
            return;
        default:
            for (spoc_argument& one : plan.given) {
                if (one.kind == SPOC_ARGUMENT_SCALAR) {
                    const bool other = one_in(2);
                    one.element = other ? SPOC_ELEMENT_F32 : SPOC_ELEMENT_I32;
                    one.bytes = other ? 4 : 3;
                    to.refuse(true, other ? SPOC_SUB_TYPE : SPOC_SUB_LENGTH);
                }
            }
            return;
    }
    to.refuse(true, SPOC_SUB_ARITY);
}

void trial::predict_refusals(const launch_plan& plan, prediction& to) {
    for (const launch_argument& one : plan.all) {
        if (!one.is_memory()) {
            continue;
        }
        to.refuse(one.access == no_access, SPOC_SUB_VALUE);
        if (const buffer_model* const b = one.buffer; b != nullptr) {
            to.refuse(b->device != plan.device, SPOC_SUB_DEVICE);
            to.refuse(b->memory == nullptr, SPOC_SUB_FREED);
        } else {
            const vector_model& v = *one.vector;
            to.refuse(v.freed, SPOC_SUB_FREED);
            to.refuse(v.writing, SPOC_SUB_BUSY);
            to.refuse(!v.has_host() && v.device != plan.device, SPOC_SUB_DEVICE_ONLY);
            to.refuse(v.count == 0, SPOC_SUB_LENGTH);
            to.refuse(!takes_elements_of(plan.kind().parameters.at(one.index), v), SPOC_SUB_TYPE);
        }
        to.refuse(!one.is_inside() || one.offset % argument_step != 0, SPOC_SUB_BOUNDS);
        to.refuse(one.is_inside() && one.shown() == 0, SPOC_SUB_LENGTH);
        to.refuse(one.is_inside() && one.shown() > over_.limit.binding, SPOC_SUB_TOO_MUCH);
        for (const launch_argument& other : plan.all) {
            to.refuse(other.is_memory() && other.index < one.index && one.is_inside() &&
                          other.is_inside() && (one.writes || other.writes) &&
                          one.shares_bytes(other),
                      SPOC_SUB_OVERLAP);
        }
    }
    to.refuse(plan.on != nullptr && plan.on->device != plan.device, SPOC_SUB_DEVICE);
    to.refuse(plan.on != nullptr && plan.on->closed, SPOC_SUB_DESTROYED);
}

/* ---- Steps ---- */

bool trial::call_launch(launch_plan& plan, const prediction& wanted) {
    const spoc_kernel kernel = some_kernel(plan.device, plan.kernel).handle;
    plan.options.arguments = plan.given.data();
    plan.options.argument_count = static_cast<std::uint32_t>(plan.given.size());
    if (plan.on == nullptr) {
        // Nothing is kept for it, since the driver does that.
        gate_.set(SPOC_MOCK_KEEPS_BUFFERS, 1);
    }
    const bool done = call("launch", wanted, [&](spoc_error* error) {
        return spoc_launch(kernel, &plan.options, plan.on != nullptr ? plan.on->handle : nullptr,
                           error);
    });
    if (plan.on == nullptr) {
        gate_.set(SPOC_MOCK_KEEPS_BUFFERS, 0);
    }
    expect(!done || !alone_ || gate_.calls(spoc_mock_entry_launch) == 1,
           "the plugin was not asked for one launch");
    return done;
}

void trial::launch_kernel() {
    launch_plan plan;
    if (!plan_launch(plan)) {
        return;
    }
    some_kernel(plan.device, plan.kernel);
    prediction wanted;
    if (one_in(25)) {
        spoil(plan, wanted);
    }
    predict_refusals(plan, wanted);
    if (!wanted.refusals.empty()) {
        call_launch(plan, wanted);
    } else {
        launch_planned(plan);
    }
    for (const launch_argument& one : plan.all) {
        if (one.vector != nullptr) {
            compare_vector(*one.vector);
        }
    }
}

void trial::keep_until_done() {
    lane* const on = some_lane(below(device_count));
    if (on == nullptr) {
        return;
    }
    entry kept;
    prediction wanted;
    wanted.refuse(on->closed, SPOC_SUB_DESTROYED);
    std::vector<spoc_vector> handles;
    for (std::size_t i = vectors_.empty() ? 0 : below(3); i > 0; --i) {
        const vector_model& v = *any_of(vectors_);
        handles.push_back(v.handle);
        kept.uses.emplace_back(v.on.at(on->device));
        wanted.refuse(v.freed, SPOC_SUB_FREED);
        wanted.refuse(v.on.at(on->device) == nullptr, SPOC_SUB_LOCATION);
    }
    token* lent = nullptr;
    std::shared_ptr<const void> held = lend(lent);
    const spoc_owner owner = lent != nullptr ? lent->owner() : spoc_owner{};
    kept.uses.push_back(std::move(held));
    wanted.enqueued = [&] {
        kept.at = ++on->committed;
        on->ledger.push_back(std::move(kept));
    };
    const bool done = call("keep_until_done", wanted, [&](spoc_error* error) {
        return spoc_keep_until_done(on->handle, &owner, handles.data(),
                                    static_cast<std::uint32_t>(handles.size()), error);
    });
    if (!done && lent != nullptr) {
        expect(lent->released == 0, "a call that failed gave back what was lent");
        lent->released = 1;
    }
}

}  // namespace spoc::model
