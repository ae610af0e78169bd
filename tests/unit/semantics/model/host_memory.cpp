// SPDX-License-Identifier: Apache-2.0

/// \file
/// Steps of a trial that are about host memory.

#include <algorithm>
#include <cstring>
#include <utility>

#include "trial.hpp"

namespace spoc::model {
namespace {

constexpr std::size_t most_ranges = 8;
constexpr std::uintptr_t page = 4096;

bool share_pages(const std::byte* begin, const std::byte* end, const block& other) {
    const auto down = [](const std::byte* at) {
        return reinterpret_cast<std::uintptr_t>(at) / page;
    };
    return down(begin) <= down(other.end() - 1) && down(other.span.start) <= down(end - 1);
}

}  // namespace

void trial::allocate_pinned() {
    if (ranges_.size() >= most_ranges) {
        return;
    }
    auto made = std::make_unique<range_model>();
    const std::size_t device = below(device_count);
    const std::size_t bytes = some_bytes();
    prediction wanted;
    wanted.refuse(bytes == 0, SPOC_SUB_LENGTH);
    if (!call("host_memory_allocate", wanted, [&](spoc_error* error) {
            return spoc_host_memory_allocate(over_.devices.at(device), bytes, &made->handle, error);
        })) {
        expect(made->handle == nullptr, "a call that failed wrote to its output");
        return;
    }
    spoc_host_memory_info info{};
    info.size = sizeof info;
    spoc_host_memory_describe(made->handle, &info, nullptr);
    auto* const start = static_cast<std::byte*>(info.start);
    expect(reinterpret_cast<std::uintptr_t>(start) % page == 0, "memory is not aligned to pages");
    std::memset(start, 0x11, bytes);
    const host_span span{start, {std::make_shared<place>(bytes, std::byte{0x11}), 0, bytes}};
    const bool portable = device != staging_device || over_.limit.portable_from_staging;
    made->live = std::make_shared<block>(counts_, listed_, device, portable, false, span);
    ranges_.push_back(std::move(made));
}

void trial::register_pages() {
    if (ranges_.size() >= most_ranges) {
        return;
    }
    auto made = std::make_unique<range_model>();
    made->registered = true;
    const std::size_t device = below(device_count);
    const std::size_t whole = arena_.model.count;
    std::size_t offset = below(whole);
    std::size_t count = std::min<std::size_t>(below(3 * page), whole - offset);
    if (one_in(2)) {
        offset -= offset % page;
        count = std::min<std::size_t>(page * (1 + below(3)), whole - offset);
    }
    const host_span span = arena_.part(offset, count);
    const bool overlaps = std::any_of(listed_.begin(), listed_.end(), [&](const auto& one) {
        return count > 0 && share_pages(span.start, span.start + count, *one.second);
    });
    prediction wanted;
    wanted.refuse(count == 0, SPOC_SUB_LENGTH);
    wanted.refuse(overlaps, SPOC_SUB_OVERLAP);
    token* lent = nullptr;
    std::shared_ptr<const void> held = lend(lent);
    const spoc_owner owner = lent != nullptr ? lent->owner() : spoc_owner{};
    if (call("host_memory_register", wanted, [&](spoc_error* error) {
            return spoc_host_memory_register(over_.devices.at(device), span.start, count, 0, &owner,
                                             &made->handle, error);
        })) {
        const bool portable = device != staging_device || over_.limit.portable_from_staging;
        made->live = std::make_shared<block>(counts_, listed_, device, portable, true, span);
        made->live->lent = std::move(held);
        ranges_.push_back(std::move(made));
    } else if (lent != nullptr) {
        expect(lent->released == 0, "a call that failed gave back what was lent");
        lent->released = 1;
    }
}

void trial::release_range() {
    range_model* const one = any_of(ranges_);
    if (one == nullptr) {
        return;
    }
    prediction wanted;
    wanted.refuse(
        one->live != nullptr && (machine_.needs(one->live.get()) ||
                                 machine_.touches_host(one->live->span.start, one->live->end())),
        SPOC_SUB_BUSY);
    const std::byte* const start = one->live != nullptr ? one->live->span.start : nullptr;
    const std::size_t bytes = one->live != nullptr ? one->live->span.model.count : 1;
    if (call("host_memory_release", wanted,
             [&](spoc_error* error) { return spoc_host_memory_release(one->handle, error); })) {
        one->live.reset();
    }
    expect(spoc_host_memory_is_live(start, bytes) == (one->live != nullptr ? 1 : 0),
           "the table of page-locked memory differs");
}

void trial::destroy_range() {
    range_model* const one = any_of(ranges_);
    if (one == nullptr) {
        return;
    }
    call("host_memory_destroy", {}, [&](spoc_error*) {
        spoc_host_memory_destroy(one->handle);
        return SPOC_OK;
    });
    if (one->live != nullptr) {
        // Work that touches it keeps it.
        for (const lane_pointer& on : machine_.lanes) {
            for (entry& kept : on->ledger) {
                if (kept.touches(one->live->span.start, one->live->end())) {
                    kept.uses.push_back(one->live);
                }
            }
        }
    }
    std::erase_if(ranges_, [one](const auto& other) { return other.get() == one; });
}

void trial::ask_for_pinned() {
    std::int32_t available = 7;
    call("host_memory_available", {}, [&](spoc_error* error) {
        return spoc_host_memory_available(over_.devices.at(below(device_count)), &available, error);
    });
    expect(available == 1, "a device that has page-locked memory says that it has none");
}

void trial::write_host() {
    calling_ = "writing host memory";
    const host_span span = some_host(below(600));
    // What is in flight is not the program's.
    if (!machine_.touches_host(span.start, span.start + span.model.count) &&
        machine_.conflicts({{span.model, true}}, {}).empty()) {
        compare_host(span);
        scribble(span.start, span.model.count);
        std::memcpy(span.model.data(), span.start, span.model.count);
    }
}

}  // namespace spoc::model
