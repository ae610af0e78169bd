// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "call.hpp"
#include "common/record.hpp"
#include "entries.hpp"
#include "request.hpp"

namespace spoc::mock {
namespace {

/// False: the call failed.
bool check_open(call& now, std::uint32_t index) {
    if (!now.all.open) {
        now.breach("An entry is called that is only to be called after open.");
        return false;
    }
    if (index >= now.all.described.count) {
        now.breach("There is no device of that index (" + std::to_string(index) + ").");
        return false;
    }
    return true;
}

}  // namespace

std::int32_t device_count(std::uint32_t* count, spoc_be_error* error) {
    call now(spoc_mock_entry_device_count, nullptr, error);
    if (!now.begin()) {
        return now.status();
    }
    if (!now.all.open) {
        return now.breach("An entry is called that is only to be called after open.");
    }
    *count = now.all.described.count;
    return now.status();
}

std::int32_t device_info(std::uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    call now(spoc_mock_entry_device_info, nullptr, error);
    now.record.device = index;
    if (!now.begin() || !check_open(now, index)) {
        return now.status();
    }
    spoc_be_device_info found = now.all.described.devices.at(index);
    found.index = index;
    plugin::write_record(info, found);
    return now.status();
}

std::int32_t cap_reason(std::uint32_t index, std::uint32_t cap, spoc_be_error* error) {
    call now(spoc_mock_entry_cap_reason, nullptr, error);
    now.record.device = index;
    now.record.kind = cap;
    if (!now.begin() || !check_open(now, index)) {
        return now.status();
    }
    const spoc_be_device_info& info = now.all.described.devices.at(index);
    const std::uint64_t bit = std::uint64_t{1} << (cap % 64);
    if (cap / 64 > 3 || (info.caps_known[cap / 64] & bit) == 0 || offers(info, cap)) {
        return now.fail({.status = SPOC_BE_INVALID}, "The answer to this capability is not no.");
    }
    now.fail({.status = SPOC_BE_UNSUPPORTED},
             "The mock was told to lack capability " + std::to_string(cap) + ".");
    return now.answer(SPOC_BE_OK);
}

std::int32_t device_open(std::uint32_t index, const spoc_be_device_desc* desc,
                         spoc_be_device_result* result, spoc_be_error* error) {
    const lifecycle_call alone;
    call now(spoc_mock_entry_device_open, nullptr, error);
    now.record.device = index;
    const bool goes_on = now.begin();
    alone.check(now);
    if (!goes_on || !check_open(now, index) || !takes(now, desc->flags, 0, desc->ext)) {
        return now.status();
    }
    state& all = now.all;
    all.devices.for_each_alive([&](const spoc_be_device_s& one) {
        if (one.info.index == index) {
            now.breach("A device is opened twice.");
        }
    });
    if (now.status() != SPOC_BE_OK) {
        return now.status();
    }
    spoc_be_device_info info = all.described.devices.at(index);
    info.index = index;
    spoc_be_device device = all.devices.make(false, all.next_number(), info);
    device->default_stream =
        all.streams.make(false, all.next_number(), device, SPOC_BE_STREAM_TIMING, true);
    now.record.stream = device->default_stream->number;
    spoc_be_device_result made{};
    made.device = device;
    made.default_stream = device->default_stream;
    plugin::write_record(result, made);
    return now.status();
}

std::int32_t device_close(spoc_be_device device, spoc_be_error* error) {
    call now(spoc_mock_entry_device_close, device, error);
    now.record.stream = device->default_stream->number;
    now.begin_ending();
    if (!now.is_alive(*device, "device")) {
        return now.status();
    }
    if (device->objects != 0) {
        now.breach("A device is closed before everything on it was destroyed (" +
                   std::to_string(device->objects) + " objects).");
    }
    spoc_be_stream_s& last = *device->default_stream;
    if (!device->lost && (!last.queue.empty() || last.proved < last.unproved)) {
        now.breach("A device is closed before its default stream's work was proved complete.");
    }
    last.queue.clear();
    now.all.streams.end(&last);
    now.all.devices.end(device);
    return now.status();
}

std::int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error) {
    call now(spoc_mock_entry_device_memory, device, error);
    if (!now.begin()) {
        return now.status();
    }
    spoc_be_memory_info at_the_moment{};
    at_the_moment.total = device->info.memory_total;
    at_the_moment.free = offers(device->info, SPOC_BE_CAP_MEMORY_FREE)
                             ? device->info.memory_total - device->used
                             : SPOC_BE_UNKNOWN_64;
    const std::uint64_t budget = now.all.set.get(SPOC_MOCK_PINNED_BUDGET);
    at_the_moment.pinned_budget =
        budget == SPOC_BE_NO_LIMIT ? SPOC_BE_UNKNOWN_64 : budget - now.all.pinned;
    plugin::write_record(info, at_the_moment);
    return now.status();
}

}  // namespace spoc::mock
