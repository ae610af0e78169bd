// SPDX-License-Identifier: Apache-2.0

/// \file
/// Steps of a trial that are about vectors.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "trial.hpp"

namespace spoc::model {
namespace {

constexpr std::size_t most_vectors = 12;

struct element {
    std::uint32_t kind;
    std::size_t bytes;
};
constexpr std::array elements = {element{SPOC_KIND_UINT8, 1}, element{SPOC_KIND_FLOAT16, 2},
                                 element{SPOC_KIND_INT32, 4}, element{SPOC_KIND_FLOAT64, 8},
                                 element{SPOC_KIND_RECORD, 12}};

}  // namespace

/* ---- Making and ending ---- */

void trial::add_vector(std::unique_ptr<vector_model> made) {
    vector_model& v = *made;
    vectors_.push_back(std::move(made));
    if (!v.has_host()) {
        compare_vector(v);
        return;
    }
    // Contents are undefined: they are written.
    void* data = nullptr;
    if (call("vector_begin_write", {}, [&](spoc_error* error) {
            return spoc_vector_begin_write(v.handle, SPOC_WRITE_ALL, &data, error);
        })) {
        v.host.start = static_cast<std::byte*>(data);
        scribble(v.host.start, v.bytes());
        std::copy_n(v.host.start, v.bytes(), v.host.model.data());
        v.writing = true;
        finish_writing(v);
    }
}

std::unique_ptr<vector_model> trial::some_new_vector() {
    if (vectors_.size() >= most_vectors) {
        return nullptr;
    }
    auto v = std::make_unique<vector_model>();
    const element& of = elements.at(below(elements.size()));
    v->kind = of.kind;
    v->element = of.bytes;
    v->count = some_bytes() / of.bytes;
    return v;
}

template <typename Call>
bool trial::make_vector(const char* name, const prediction& wanted, vector_model& v,
                        Call function) {
    const bool made =
        call(name, wanted, [&](spoc_error* error) { return function(&v.handle, error); });
    expect(made == (v.handle != nullptr), "a call that failed wrote to its output");
    return made;
}

void trial::create_vector() {
    auto v = some_new_vector();
    if (v == nullptr) {
        return;
    }
    const std::size_t hint = below(device_count + 2);
    const spoc_device device = hint < device_count ? over_.devices.at(hint) : nullptr;
    prediction wanted;
    std::uint32_t kind = v->kind;
    std::uint64_t count = v->count;
    if (one_in(20)) {
        kind = one_in(2) ? 99 : SPOC_KIND_COMPLEX32;
        wanted.refuse(kind == 99, SPOC_SUB_KIND);
        wanted.refuse(kind != 99 && v->element != 8, SPOC_SUB_LENGTH);
    } else if (one_in(20)) {
        count = UINT64_MAX - 1;
        wanted.refuse(true, SPOC_SUB_LENGTH);
    }
    if (make_vector("vector_create", wanted, *v, [&](spoc_vector* out, spoc_error* error) {
            return spoc_vector_create(kind, v->element, count, device, out, error);
        })) {
        v->kind = kind;
        v->host.model = {std::make_shared<place>(v->bytes()), 0, v->bytes()};
        v->state = device != nullptr ? SPOC_LOCATION_STALE_DEVICE : SPOC_LOCATION_HOST;
        v->device = device != nullptr ? hint : 0;
        add_vector(std::move(v));
    }
}

void trial::create_vector_over() {
    auto v = some_new_vector();
    if (v == nullptr) {
        return;
    }
    ++v->count;
    v->lent.resize(v->bytes());
    token* lent = nullptr;
    // Kept by the vector's storage, which memory on the host's device shares.
    auto storage = std::make_shared<place>(v->bytes());
    const std::shared_ptr<const void> held = lend(lent);
    const spoc_owner owner = lent != nullptr ? lent->owner() : spoc_owner{};
    if (make_vector("vector_create_over", {}, *v, [&](spoc_vector* out, spoc_error* error) {
            return spoc_vector_create_over(v->kind, v->element, v->count, v->lent.data(), &owner,
                                           out, error);
        })) {
        v->host.model = {std::shared_ptr<place>(storage.get(), [storage, held](place*) {}), 0,
                         v->bytes()};
        add_vector(std::move(v));
    }
}

void trial::create_device_vector() {
    auto v = some_new_vector();
    if (v == nullptr) {
        return;
    }
    v->device = below(device_count);
    const bool on_host = v->device == host_device;
    prediction wanted;
    wanted.refuse(v->kind == SPOC_KIND_RECORD, SPOC_SUB_KIND);
    wanted.refuse(v->count == 0, SPOC_SUB_LENGTH);
    wanted.late = [&] { return room_for(v->device, v->bytes(), on_host); };
    if (make_vector("vector_create_device_only", wanted, *v,
                    [&](spoc_vector* out, spoc_error* error) {
                        return spoc_vector_create_device_only(over_.devices.at(v->device), v->kind,
                                                              v->element, v->count, out, error);
                    })) {
        v->state = on_host ? SPOC_LOCATION_BOTH : SPOC_LOCATION_DEVICE;
        if (on_host) {
            v->host.model = {std::make_shared<place>(v->bytes()), 0, v->bytes()};
        }
        v->on.at(v->device) = memory_for(*v, v->device);
        add_vector(std::move(v));
    }
}

void trial::destroy_vector() {
    vector_model* v = any_of(vectors_);
    for (const auto& one : vectors_) {
        v = one->freed ? one.get() : v;
    }
    if (v == nullptr || v->writing) {
        return;
    }
    calling_ = "vector_destroy";
    if (alone_) {
        gate_.set(SPOC_MOCK_ON_WAIT, SPOC_MOCK_WAIT_FAIL);
    }
    spoc_vector_destroy(v->handle);
    ++outcomes_[calling_].done;
    observe({});
    const bool lent = !v->lent.empty();
    if (lent && machine_.needs(v->on.at(host_device).get())) {
        // Work may still touch the memory: it is freed with the trial.
        static std::mutex mutex;
        static std::vector<std::vector<std::byte>> kept;
        const std::lock_guard lock(mutex);
        kept.push_back(std::move(v->lent));
    }
    std::erase_if(vectors_, [v](const auto& one) { return one.get() == v; });
    if (alone_) {
        gate_.set(SPOC_MOCK_ON_WAIT, SPOC_MOCK_WAIT_RUN);
    }
}

/* ---- The host's copy ---- */

void trial::predict_fresh_host(const vector_model& v, prediction& to) {
    to.copies = 0;
    to.refuse(!v.has_host(), SPOC_SUB_DEVICE_ONLY);
    to.refuse(v.freed, SPOC_SUB_FREED);
    to.refuse(v.writing, SPOC_SUB_BUSY);
    to.refuse(v.has_host() && !v.host_is_fresh() && !(v.auto_sync && process_auto_sync_),
              SPOC_SUB_STALE_HOST);
    if (!to.refusals.empty()) {
        return;
    }
    if (v.host_is_fresh()) {
        settle_host(v, to);
    } else {
        predict_move(v, v.on.at(v.device), false, to);
    }
}

void trial::made_fresh(vector_model& v) {
    if (!v.host_is_fresh()) {
        v.read_back();
        v.state = SPOC_LOCATION_BOTH;
    }
}

void trial::read_vector() {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    prediction wanted;
    predict_fresh_host(*v, wanted);
    const void* data = nullptr;
    if (call("vector_read", wanted,
             [&](spoc_error* error) { return spoc_vector_read(v->handle, &data, error); })) {
        made_fresh(*v);
        expect(v->bytes() == 0 || std::memcmp(data, v->host.model.data(), v->bytes()) == 0,
               "the host reads something else");
    }
    compare_vector(*v);
}

void trial::begin_write() {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    const bool all = one_in(3);
    prediction wanted;
    if (all) {
        wanted.copies = 0;
        wanted.refuse(!v->has_host(), SPOC_SUB_DEVICE_ONLY);
        wanted.refuse(v->freed, SPOC_SUB_FREED);
        wanted.refuse(v->writing, SPOC_SUB_BUSY);
        settle_host(*v, wanted);
    } else {
        predict_fresh_host(*v, wanted);
    }
    void* data = nullptr;
    if (call("vector_begin_write", wanted, [&](spoc_error* error) {
            return spoc_vector_begin_write(v->handle, all ? SPOC_WRITE_ALL : 0, &data, error);
        })) {
        if (!all) {
            made_fresh(*v);
        }
        expect(v->bytes() == 0 || data == v->host.start, "the host's storage moved");
        const std::size_t from = all ? 0 : below(v->bytes() + 1);
        scribble(v->host.start + from, v->bytes() - from);
        std::copy_n(v->host.start + from, v->bytes() - from, v->host.model.data() + from);
        v->writing = true;
        if (!one_in(4)) {
            finish_writing(*v);
        }
    }
    compare_vector(*v);
}

void trial::finish_writing(vector_model& v) {
    prediction wanted;
    wanted.refuse(!v.writing, SPOC_SUB_VALUE);
    if (call("vector_end_write", wanted,
             [&](spoc_error* error) { return spoc_vector_end_write(v.handle, error); })) {
        v.writing = false;
        v.state = v.state == SPOC_LOCATION_HOST ? v.state : SPOC_LOCATION_STALE_DEVICE;
    }
    compare_vector(v);
}

void trial::end_write() {
    vector_model* chosen = one_in(8) ? any_of(vectors_) : nullptr;
    for (const auto& one : vectors_) {
        chosen = one->writing ? one.get() : chosen;
    }
    if (chosen != nullptr) {
        finish_writing(*chosen);
    }
}

void trial::switch_auto_sync() {
    if (alone_ && one_in(3)) {
        process_auto_sync_ = !process_auto_sync_;
        spoc_set_auto_sync(process_auto_sync_ ? 1 : 0);
    } else if (vector_model* const v = any_of(vectors_); v != nullptr) {
        v->auto_sync = !v->auto_sync;
        call("vector_set_auto_sync", {}, [&](spoc_error* error) {
            return spoc_vector_set_auto_sync(v->handle, v->auto_sync ? 1 : 0, error);
        });
    }
}

/* ---- Whole vectors ---- */

void trial::to_device() {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    const std::size_t where = one_in(3) ? v->device : below(device_count);
    const bool syncs = v->state == SPOC_LOCATION_STALE_DEVICE && v->device == where && one_in(3);
    const bool is_current = v->device_is_fresh() && v->device == where;
    prediction wanted;
    wanted.copies = 0;
    wanted.refuse(v->freed, SPOC_SUB_FREED);
    wanted.refuse(v->writing, SPOC_SUB_BUSY);
    wanted.refuse(!v->has_host() && v->device != where, SPOC_SUB_DEVICE_ONLY);
    const bool moves = wanted.refusals.empty() && !is_current;
    if (moves && v->on.at(where) == nullptr && !fits(where, v->bytes())) {
        // What is idle when memory is looked for would depend on how far the read-back got.
        run_all();
    }
    if (moves && !v->host_is_fresh()) {
        predict_move(*v, v->on.at(v->device), false, wanted);
        wanted.first = [v] { v->read_back(); };
    }
    if (moves && v->on.at(where) != nullptr) {
        predict_move(*v, v->on.at(where), true, wanted);
    } else if (moves) {
        prediction after;
        if (v->bytes() > 0) {
            settle_host(*v, after);
        }
        wanted.may.insert(after.may.begin(), after.may.end());
        wanted.then_must = after.must;
        wanted.then_settled = after.settled;
        const auto parts = route(where, v->host.start, v->bytes());
        const bool copies = where != host_device && v->bytes() > 0;
        wanted.waits = true;
        wanted.anything = wanted.anything || (copies && is_staged(parts));
        wanted.copies += copies ? static_cast<int>(parts.size()) : 0;
        machine_.add_before(default_lane(where), wanted.may);
        wanted.late = [this, v, where]() -> std::uint32_t {
            const bool is_host = where == host_device;
            if (const std::uint32_t failure = room_for(where, v->bytes(), is_host); failure != 0) {
                return failure;
            }
            v->on.at(where) = memory_for(*v, where);
            return 0;
        };
    }
    const bool done =
        call(syncs ? "vector_sync" : "vector_to_device", wanted, [&](spoc_error* error) {
            return syncs ? spoc_vector_sync(v->handle, error)
                         : spoc_vector_to_device(v->handle, over_.devices.at(where), error);
        });
    if (done && moves) {
        if (const memory& target = *v->on.at(where); !target.is_host) {
            target.in->bytes = v->host.model.in->bytes;
        }
        v->state = SPOC_LOCATION_BOTH;
        v->device = where;
    }
    compare_vector(*v);
}

void trial::to_host() {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    const bool syncs = v->state != SPOC_LOCATION_STALE_DEVICE && one_in(3);
    const bool force = !syncs && one_in(3);
    prediction wanted;
    wanted.copies = 0;
    wanted.refuse(!v->has_host(), SPOC_SUB_DEVICE_ONLY);
    wanted.refuse(v->freed, SPOC_SUB_FREED);
    wanted.refuse(v->writing, SPOC_SUB_BUSY);
    const bool moves =
        wanted.refusals.empty() && v->device_is_fresh() && (force || !v->host_is_fresh());
    if (moves) {
        predict_move(*v, v->on.at(v->device), false, wanted);
    }
    const bool done =
        call(syncs ? "vector_sync" : "vector_to_host", wanted, [&](spoc_error* error) {
            return syncs ? spoc_vector_sync(v->handle, error)
                         : spoc_vector_to_host(v->handle, force ? 1 : 0, error);
        });
    if (done && moves) {
        v->state = SPOC_LOCATION_STALE_HOST;
        made_fresh(*v);
    }
    compare_vector(*v);
}

/* ---- Freeing ---- */

void trial::free_vector_buffer() {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    const std::size_t where = one_in(2) ? v->device : below(device_count);
    memory_pointer& there = v->on.at(where);
    prediction wanted;
    wanted.copies = 0;
    wanted.refuse(v->writing, SPOC_SUB_BUSY);
    wanted.refuse(there != nullptr && machine_.needs(there.get()), SPOC_SUB_BUSY);
    const bool saves = wanted.refusals.empty() && there != nullptr && v->has_host() &&
                       v->device_is_fresh() && v->device == where && !v->host_is_fresh();
    if (saves) {
        predict_move(*v, there, false, wanted);
    }
    if (call("vector_free_buffer", wanted, [&](spoc_error* error) {
            return spoc_vector_free_buffer(v->handle, over_.devices.at(where), error);
        })) {
        if (saves) {
            made_fresh(*v);
        }
        free_by_program(there);
        if (v->names(where)) {
            v->freed = !v->has_host();
            v->state = v->has_host() ? SPOC_LOCATION_HOST : v->state;
        }
    }
    compare_vector(*v);
}

void trial::free_vector_buffers() {
    vector_model* const v = any_of(vectors_);
    if (v == nullptr) {
        return;
    }
    prediction wanted;
    wanted.copies = 0;
    wanted.refuse(v->writing, SPOC_SUB_BUSY);
    bool any = false;
    for (const memory_pointer& one : v->on) {
        any = any || one != nullptr;
        wanted.refuse(one != nullptr && machine_.needs(one.get()), SPOC_SUB_BUSY);
    }
    const bool saves = wanted.refusals.empty() && any && v->has_host() && v->device_is_fresh() &&
                       !v->host_is_fresh();
    if (saves) {
        predict_move(*v, v->on.at(v->device), false, wanted);
    }
    if (call("vector_free_all_buffers", wanted,
             [&](spoc_error* error) { return spoc_vector_free_all_buffers(v->handle, error); })) {
        if (saves) {
            made_fresh(*v);
        }
        for (memory_pointer& one : v->on) {
            free_by_program(one);
        }
        v->freed = !v->has_host();
        v->state = v->has_host() ? SPOC_LOCATION_HOST : v->state;
    }
    compare_vector(*v);
}

}  // namespace spoc::model
