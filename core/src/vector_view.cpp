// SPDX-License-Identifier: Apache-2.0

/// \file
/// Views: vectors that share a part of another one's host storage.

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "ledger.hpp"
#include "process_state.hpp"
#include "session.hpp"
#include "sole_use.hpp"
#include "text.hpp"
#include "vector.hpp"
#include "vector_family.hpp"

using namespace spoc::detail;

spoc_vector_s::~spoc_vector_s() { leave_family(); }

/* ---- Families ---- */

void spoc_vector_s::join(const std::shared_ptr<vector_family>& family, spoc_vector_s* parent) {
    const std::lock_guard lock(family->mutex);
    family->members.push_back(this);
    parent_ = parent;
    family_ = family;
}

void spoc_vector_s::leave_family() noexcept {
    // In a forked child the mutex may be held for ever.
    if (family_ == nullptr || process_state() == SPOC_BE_PROCESS_FORK_CHILD) {
        return;
    }
    const std::lock_guard lock(family_->mutex);
    std::erase(family_->members, this);
    for (spoc_vector_s* const other : family_->members) {
        if (other->parent_ == this) {
            other->parent_ = parent_;
        }
    }
}

bool spoc_vector_s::is_view_of(const spoc_vector_s& other) const noexcept {
    for (const spoc_vector_s* one = parent_; one != nullptr; one = one->parent_) {
        if (one == &other) {
            return true;
        }
    }
    return false;
}

bool spoc_vector_s::has_relatives() const {
    if (family_ == nullptr) {
        return false;
    }
    const std::lock_guard lock(family_->mutex);
    return family_->members.size() > 1;
}

bool spoc_vector_s::shares_elements(const spoc_vector_s& other) const noexcept {
    return host_bytes(host_->start(), bytes())
        .overlaps(host_bytes(other.host_->start(), other.bytes()));
}

std::vector<spoc_vector_s*> spoc_vector_s::views() const {
    std::vector<spoc_vector_s*> found;
    if (family_ != nullptr) {
        const std::lock_guard lock(family_->mutex);
        std::copy_if(family_->members.begin(), family_->members.end(), std::back_inserter(found),
                     [this](const spoc_vector_s* other) { return other->is_view_of(*this); });
    }
    return found;
}

std::vector<spoc_vector_s*> spoc_vector_s::newer_parents() const {
    std::vector<spoc_vector_s*> found;
    if (family_ != nullptr) {
        const std::lock_guard lock(family_->mutex);
        for (spoc_vector_s* one = parent_; one != nullptr; one = one->parent_) {
            if (!one->location_.host_is_fresh()) {
                found.push_back(one);
            }
        }
    }
    return found;
}

std::vector<spoc_vector_s::memory_pointer> spoc_vector_s::host_memories() const {
    std::vector<memory_pointer> found;
    const auto add = [&found](const spoc_vector_s& one) {
        std::copy_if(one.memories_.begin(), one.memories_.end(), std::back_inserter(found),
                     [](const memory_pointer& memory) { return memory->shares_host(); });
    };
    if (family_ == nullptr) {
        add(*this);
        return found;
    }
    const std::lock_guard lock(family_->mutex);
    for (const spoc_vector_s* const one : family_->members) {
        if (one->shares_elements(*this)) {
            add(*one);
        }
    }
    return found;
}

/* ---- Which copy is the newest ---- */

outcome spoc_vector_s::check_relatives() const {
    if (family_ == nullptr) {
        return {};
    }
    const std::lock_guard lock(family_->mutex);
    for (const spoc_vector_s* const other : family_->members) {
        if (other == this || !other->shares_elements(*this)) {
            continue;
        }
        if (other->writing_) {
            return outcome::invalid(SPOC_SUB_BUSY,
                                    say("The host is writing to vector ", other->id_,
                                        ", which shares elements with vector ", id_, "."));
        }
        if (!is_view_of(*other) && other->location_.device_is_fresh()) {
            return outcome::invalid(SPOC_SUB_STALE_HOST,
                                    say("View ", other->id_, ", which shares elements with vector ",
                                        id_, ", is in use on device ",
                                        other->location_.device->selector(), "; gather it first."));
        }
    }
    return {};
}

outcome spoc_vector_s::freshen_parents(session& call, bool asked) {
    for (spoc_vector_s* const one : newer_parents()) {
        if (!asked) {
            SPOC_TRY(one->check_auto_sync(auto_sync_));
        }
        SPOC_TRY(call.enter());
        SPOC_TRY(one->read_back(call));
        one->location_.state = SPOC_LOCATION_BOTH;
    }
    return {};
}

void spoc_vector_s::outdate_parents() noexcept {
    if (family_ == nullptr) {
        return;
    }
    const std::lock_guard lock(family_->mutex);
    for (spoc_vector_s* one = parent_; one != nullptr; one = one->parent_) {
        const bool has_copy = one->location_.state == SPOC_LOCATION_BOTH &&
                              one->link(one->location_.device) != SPOC_LINK_UNIFIED;
        if (has_copy) {
            one->location_.state = SPOC_LOCATION_STALE_DEVICE;
        }
    }
}

/* ---- Making and gathering ---- */

outcome spoc_vector_s::view(session& call, std::uint64_t first, std::uint64_t count,
                            std::unique_ptr<spoc_vector_s>& out) {
    SPOC_TRY(freshen_host(call));
    const auto family = family_ != nullptr ? family_ : std::make_shared<vector_family>();
    auto made = std::make_unique<spoc_vector_s>(
        element_, count, std::make_shared<host_storage>(host_, first * element_.bytes));
    made->depth_ = depth_ + 1;
    if (family_ == nullptr) {
        join(family, nullptr);
    }
    made->join(family, this);
    out = std::move(made);
    return {};
}

outcome spoc_vector_s::drain(session& call) {
    if (writing_) {
        return outcome::invalid(SPOC_SUB_BUSY, say("The host is writing to vector ", id_, "."));
    }
    if (!location_.device_is_fresh()) {
        return {};
    }
    SPOC_TRY(call.enter());
    const memory_pointer memory = memory_on(location_.device);
    if (!location_.host_is_fresh()) {
        SPOC_TRY(read_back(call));
    } else if (memory->shares_host()) {
        SPOC_TRY(settle(*memory));
    }
    location_.state = SPOC_LOCATION_STALE_DEVICE;
    return {};
}

outcome spoc_vector_s::gather(session& call) {
    if (writing_) {
        return outcome::invalid(SPOC_SUB_BUSY, say("The host is writing to vector ", id_, "."));
    }
    for (spoc_vector_s* const one : views()) {
        SPOC_TRY(one->drain(call));
    }
    return {};
}

spoc_status spoc_vector_view(spoc_vector vector, uint64_t first, uint64_t count, spoc_device hint,
                             spoc_vector* out_view, spoc_error* error) noexcept {
    return boundary("spoc_vector_view", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        SPOC_TRY(require_pointer(out_view, "out_view"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(check_element_range(*vector, first, count));
        std::unique_ptr<spoc_vector_s> made;
        SPOC_TRY(vector->view(call, first, count, made));
        if (hint != nullptr) {
            made->expect_on(hint);
        }
        *out_view = made.release();
        return {};
    });
}

spoc_status spoc_vector_gather(spoc_vector vector, spoc_error* error) noexcept {
    return boundary("spoc_vector_gather", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        return vector->gather(call);
    });
}
