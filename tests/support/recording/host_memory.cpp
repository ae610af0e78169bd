// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "call.hpp"
#include "common/record.hpp"
#include "entries.hpp"
#include "request.hpp"
#include "work.hpp"

namespace spoc::mock {
namespace {

constexpr std::size_t page = 4096;
constexpr std::int64_t already_registered = 712;
constexpr std::int64_t not_registered = 713;

/// Whether a range overlaps a live block, or, with `whole`, lies in one.
bool touches_block(state& all, const void* host, std::uint64_t bytes, bool whole) {
    const auto* first = static_cast<const std::byte*>(host);
    bool found = false;
    all.hostmems.for_each_alive([&](const spoc_be_hostmem_s& block) {
        const std::byte* end = block.start + block.bytes;
        found = found || (whole ? first >= block.start && first + bytes <= end
                                : first < end && block.start < first + bytes);
    });
    return found;
}

/// Takes `bytes` of what may be page-locked. False: the call failed.
bool take_budget(call& now, std::uint64_t bytes) {
    const std::uint64_t budget = now.all.set.get(SPOC_MOCK_PINNED_BUDGET);
    if (bytes > budget || now.all.pinned > budget - bytes) {
        now.fail({.status = SPOC_BE_OUT_OF_MEMORY, .asked = bytes, .limit = budget},
                 "The mock's budget for page-locked memory is exhausted (" + std::to_string(bytes) +
                     " bytes).");
        return false;
    }
    now.all.pinned += bytes;
    return true;
}

void hand_out(call& now, spoc_be_device device, spoc_be_hostmem made,
              spoc_be_hostmem_result* result) {
    ++device->objects;
    now.record.hostmem = made->number;
    now.record.host = made->start;
    spoc_be_hostmem_result answer{};
    answer.hostmem = made;
    answer.host = made->start;
    answer.bytes = made->bytes;
    plugin::write_record(result, answer);
}

void end_block(call& now, spoc_be_hostmem hostmem) {
    now.all.pinned -= hostmem->bytes;
    --hostmem->device->objects;
    hostmem->memory.reset();
    now.all.hostmems.end(hostmem);
}

/// False: the call failed.
bool check_registration(call& now, const spoc_be_device_info& info,
                        const spoc_be_hostmem_desc& desc) {
    const std::uint64_t manner = now.all.set.get(SPOC_MOCK_REGISTER);
    if (manner == SPOC_MOCK_REGISTER_REFUSES) {
        now.refuse("The mock was told to refuse registrations.");
        return false;
    }
    const auto start = reinterpret_cast<std::uintptr_t>(desc.host);
    const std::uint64_t step = info.register_align;
    if (step > 1 && step != SPOC_BE_UNKNOWN_32 && (start % step != 0 || desc.bytes % step != 0)) {
        now.fail({.status = SPOC_BE_MISALIGNED, .asked = start, .limit = step},
                 "The range is not aligned as the mock's device wants it.");
        return false;
    }
    if ((desc.flags & SPOC_BE_HOSTMEM_READ_ONLY) != 0 &&
        !has(now, SPOC_BE_CAP_REGISTER_READ_ONLY)) {
        return false;
    }
    if (manner == SPOC_MOCK_REGISTER_HONEST &&
        touches_block(now.all, desc.host, desc.bytes, false)) {
        now.fail({.status = SPOC_BE_DRIVER, .native_code = already_registered},
                 "Part of the range is page-locked already.");
        return false;
    }
    return true;
}

}  // namespace

std::int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                          spoc_be_hostmem_result* result, spoc_be_error* error) {
    call now(spoc_mock_entry_pinned_alloc, device, error);
    now.record.flags = desc->flags;
    now.record.bytes = desc->bytes;
    if (!now.begin() || !has(now, SPOC_BE_CAP_PINNED) || !takes(now, desc->flags, 0, desc->ext)) {
        return now.status();
    }
    if (desc->bytes == 0) {
        return now.breach("No bytes of page-locked memory are asked for.");
    }
    if (desc->bytes > device->info.max_pinned) {
        return now.fail(
            {.status = SPOC_BE_TOO_LARGE, .asked = desc->bytes, .limit = device->info.max_pinned},
            "The block is larger than the mock's device gives (" + std::to_string(desc->bytes) +
                " bytes).");
    }
    if (!take_budget(now, desc->bytes)) {
        return now.status();
    }
    auto block = std::make_shared<memory>(desc->bytes, page);
    if (block->bytes == nullptr) {
        now.all.pinned -= desc->bytes;
        return now.fail({.status = SPOC_BE_OUT_OF_MEMORY}, "There is no memory for a block.");
    }
    std::memset(block->bytes, 0x5A, desc->bytes);
    spoc_be_hostmem made = now.all.hostmems.make(now.all.recycles(), now.all.next_number(), device,
                                                 block->bytes, desc->bytes);
    made->memory = std::move(block);
    hand_out(now, device, made, result);
    return now.status();
}

std::int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error) {
    call now(spoc_mock_entry_pinned_free, hostmem->device, error);
    now.record.hostmem = hostmem->number;
    now.record.host = hostmem->start;
    now.record.bytes = hostmem->bytes;
    now.begin_ending();
    if (!now.is_alive(*hostmem, "block")) {
        return now.status();
    }
    if (hostmem->memory == nullptr) {
        return now.breach("A registration is freed as if it were an allocation.");
    }
    end_block(now, hostmem);
    return now.status();
}

std::int32_t host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                           spoc_be_hostmem_result* result, spoc_be_error* error) {
    call now(spoc_mock_entry_host_register, device, error);
    now.record.flags = desc->flags;
    now.record.bytes = desc->bytes;
    now.record.host = desc->host;
    if (!now.begin() || !has(now, SPOC_BE_CAP_REGISTER) ||
        !takes(now, desc->flags, SPOC_BE_HOSTMEM_READ_ONLY, desc->ext) ||
        !check_registration(now, device->info, *desc)) {
        return now.status();
    }
    const bool overlapped = touches_block(now.all, desc->host, desc->bytes, false);
    if (!take_budget(now, desc->bytes)) {
        return now.status();
    }
    spoc_be_hostmem made = now.all.hostmems.make(now.all.recycles(), now.all.next_number(), device,
                                                 desc->host, desc->bytes);
    made->overlapped = overlapped;
    hand_out(now, device, made, result);
    return now.status();
}

std::int32_t host_unregister(spoc_be_hostmem hostmem, spoc_be_error* error) {
    call now(spoc_mock_entry_host_unregister, hostmem->device, error);
    now.record.hostmem = hostmem->number;
    now.record.host = hostmem->start;
    now.record.bytes = hostmem->bytes;
    now.begin_ending();
    // The one entry whose failure leaves the handle valid.
    if (now.status() != SPOC_BE_OK || !now.is_alive(*hostmem, "registration")) {
        return now.status();
    }
    if (hostmem->memory != nullptr) {
        return now.breach("An allocation is ended as if it were a registration.");
    }
    if (hostmem->overlapped) {
        return now.fail({.status = SPOC_BE_DRIVER, .native_code = not_registered},
                        "The range is not registered.");
    }
    end_block(now, hostmem);
    return now.status();
}

std::int32_t host_query(spoc_be_device device, const void* host, std::uint64_t bytes,
                        std::uint32_t* flags, spoc_be_error* error) {
    call now(spoc_mock_entry_host_query, device, error);
    now.record.host = host;
    now.record.bytes = bytes;
    if (!now.begin() || !has(now, SPOC_BE_CAP_HOST_QUERY)) {
        return now.status();
    }
    const std::uint64_t said = now.all.set.get(SPOC_MOCK_HOST_QUERY);
    if (said != SPOC_MOCK_QUERY_HONEST) {
        *flags = static_cast<std::uint32_t>(said);
    } else {
        *flags = touches_block(now.all, host, bytes, true) ? SPOC_BE_HOST_PINNED : 0;
    }
    return now.status();
}

}  // namespace spoc::mock
