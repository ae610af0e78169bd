// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "call.hpp"
#include "common/record.hpp"
#include "entries.hpp"
#include "request.hpp"
#include "work.hpp"

namespace spoc::mock {
namespace {

constexpr std::size_t buffer_alignment = 256;

bool is_over_host(const spoc_be_buffer_s& buffer) {
    return buffer.kind == SPOC_BE_BUFFER_HOST_RANGE || buffer.kind == SPOC_BE_BUFFER_HOST_PTR;
}

/// False: the call failed.
bool check_desc(call& now, const spoc_be_device_info& info, const spoc_be_buffer_desc& desc) {
    constexpr std::uint32_t capabilities[] = {
        SPOC_BE_CAP_BUFFER_HOST_RANGE, SPOC_BE_CAP_BUFFER_HOST_PTR, SPOC_BE_CAP_BUFFER_UNIFIED};
    if (desc.kind > SPOC_BE_BUFFER_UNIFIED) {
        now.refuse("The mock knows no buffers of that kind.");
        return false;
    }
    if (desc.kind != SPOC_BE_BUFFER_DEVICE && !has(now, capabilities[desc.kind - 1])) {
        return false;
    }
    if (!takes(now, desc.flags, 0, desc.ext)) {
        return false;
    }
    if (desc.bytes == 0 || desc.bytes > info.max_alloc) {
        now.breach("A buffer of a size that the device does not take is asked for (" +
                   std::to_string(desc.bytes) + " bytes).");
        return false;
    }
    const bool needs_host =
        desc.kind == SPOC_BE_BUFFER_HOST_RANGE || desc.kind == SPOC_BE_BUFFER_HOST_PTR;
    const auto start = reinterpret_cast<std::uintptr_t>(desc.host);
    if (needs_host && info.host_ptr_align > 1 && start % info.host_ptr_align != 0) {
        now.fail({.status = SPOC_BE_MISALIGNED, .asked = start, .limit = info.host_ptr_align},
                 "The host range is not aligned as the mock's device wants it.");
        return false;
    }
    return true;
}

/// The memory behind a buffer. One over host memory of kind HOST_PTR has a copy of its own, so that
/// a forgotten `buffer_host_access` shows.
std::shared_ptr<memory> make_memory(const spoc_be_buffer_desc& desc) {
    if (desc.kind == SPOC_BE_BUFFER_HOST_RANGE) {
        return std::make_shared<memory>(desc.host);
    }
    auto made = std::make_shared<memory>(desc.bytes, buffer_alignment);
    if (made->bytes != nullptr && desc.kind == SPOC_BE_BUFFER_HOST_PTR) {
        std::memcpy(made->bytes, desc.host, desc.bytes);
    } else if (made->bytes != nullptr) {
        // Nought would look like memory that somebody cleared.
        std::memset(made->bytes, 0xA5, desc.bytes);
    }
    return made;
}

goal disuse(state& all, const object& buffer, bool writers_only) {
    return {
        [&all, &buffer, writers_only] { return is_unused(all, buffer, writers_only); },
        [&all, &buffer, writers_only] { return step_towards_unused(all, buffer, writers_only); }};
}

}  // namespace

std::int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                           spoc_be_buffer_result* result, spoc_be_error* error) {
    call now(spoc_mock_entry_buffer_create, device, error);
    now.record.kind = desc->kind;
    now.record.bytes = desc->bytes;
    now.record.host = desc->host;
    if (!now.begin() || !check_desc(now, device->info, *desc)) {
        return now.status();
    }
    const std::uint64_t taken = desc->kind == SPOC_BE_BUFFER_HOST_RANGE ? 0 : desc->bytes;
    if (taken > device->info.memory_total - device->used) {
        return now.fail({.status = SPOC_BE_OUT_OF_MEMORY, .asked = taken},
                        "The mock's device memory is exhausted.");
    }
    auto made = make_memory(*desc);
    if (made->bytes == nullptr) {
        return now.fail({.status = SPOC_BE_OUT_OF_MEMORY, .asked = taken},
                        "There is no memory for a buffer.");
    }
    spoc_be_buffer buffer =
        now.all.buffers.make(now.all.recycles(), now.all.next_number(), device, *desc);
    buffer->memory = std::move(made);
    device->used += taken;
    ++device->objects;
    now.record.dst = buffer->number;
    spoc_be_buffer_result answer{};
    answer.buffer = buffer;
    answer.allocated = taken;
    if (now.offers(SPOC_BE_CAP_BUFFER_ADDRESS)) {
        answer.device_address = reinterpret_cast<std::uintptr_t>(buffer->memory->bytes);
    }
    if (buffer->kind == SPOC_BE_BUFFER_UNIFIED) {
        answer.host_address = buffer->memory->bytes;
    } else if (is_over_host(*buffer)) {
        answer.host_address = desc->host;
    }
    plugin::write_record(result, answer);
    return now.status();
}

std::int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error) {
    call now(spoc_mock_entry_buffer_destroy, buffer->device, error);
    now.record.dst = buffer->number;
    now.begin_ending();
    if (!now.is_alive(*buffer, "buffer")) {
        return now.status();
    }
    if (is_over_host(*buffer) && !buffer->device->lost && now.status() == SPOC_BE_OK) {
        wait_for(now, disuse(now.all, *buffer, false), SPOC_BE_FOREVER);
    }
    buffer->device->used -= buffer->kind == SPOC_BE_BUFFER_HOST_RANGE ? 0 : buffer->bytes;
    --buffer->device->objects;
    buffer->memory.reset();
    now.all.buffers.end(buffer);
    return now.status();
}

std::int32_t buffer_wait(spoc_be_buffer buffer, std::uint32_t access, std::uint64_t timeout_ns,
                         spoc_be_error* error) {
    call now(spoc_mock_entry_buffer_wait, buffer->device, error);
    now.record.dst = buffer->number;
    now.record.access = access;
    now.record.timeout_ns = timeout_ns;
    if (!now.begin() || !has(now, SPOC_BE_CAP_BUFFER_TRACKED) || !now.is_alive(*buffer, "buffer")) {
        return now.status();
    }
    if (access == SPOC_BE_ACCESS_UNKNOWN || access > SPOC_BE_ACCESS_READ_WRITE) {
        return now.breach("An access that means nothing is waited for.");
    }
    submit_all(now.all);
    return wait_for(now, disuse(now.all, *buffer, access == SPOC_BE_ACCESS_READ), timeout_ns);
}

namespace {

/// A request for a host access that holds to the contract; false: the call failed.
bool check_access(call& now, const spoc_be_buffer_s& buffer) {
    if (buffer.kind != SPOC_BE_BUFFER_HOST_PTR && buffer.kind != SPOC_BE_BUFFER_UNIFIED) {
        now.breach("The host's side of a buffer is asked for that has none of its own.");
        return false;
    }
    const spoc_mock_call& asked = now.record;
    if (asked.bytes == 0 || asked.dst_offset > buffer.bytes ||
        asked.bytes > buffer.bytes - asked.dst_offset) {
        now.breach("A range that is empty or beyond its buffer is accessed.");
        return false;
    }
    const bool ends = asked.kind == SPOC_BE_HOST_END_WRITE;
    if (asked.kind != SPOC_BE_HOST_ACQUIRE && !is_unused(now.all, buffer, false)) {
        now.breach("The host's side is written while work uses the buffer.");
        return false;
    }
    if (ends && (!buffer.host_writes || buffer.write_offset != asked.dst_offset ||
                 buffer.write_bytes != asked.bytes)) {
        now.breach("A host write ends that was not begun with the same range.");
        return false;
    }
    if (asked.kind == SPOC_BE_HOST_BEGIN_WRITE && buffer.host_writes) {
        now.breach("A second host write begins.");
        return false;
    }
    return true;
}

/// Moves the range between the buffer and its host memory, where they differ. BEGIN_WRITE shows the
/// host what is there, so that what it does not write is not lost when END_WRITE takes the range.
void move_sides(const spoc_be_buffer_s& buffer, const spoc_mock_call& asked) {
    if (buffer.kind != SPOC_BE_BUFFER_HOST_PTR) {
        return;
    }
    std::byte* device_side = buffer.memory->bytes + asked.dst_offset;
    std::byte* host_side = static_cast<std::byte*>(buffer.host) + asked.dst_offset;
    if (asked.kind == SPOC_BE_HOST_ACQUIRE || asked.kind == SPOC_BE_HOST_BEGIN_WRITE) {
        std::memcpy(host_side, device_side, asked.bytes);
    } else {
        std::memcpy(device_side, host_side, asked.bytes);
    }
}

}  // namespace

std::int32_t buffer_host_access(spoc_be_stream stream, spoc_be_buffer buffer, std::uint32_t op,
                                std::uint64_t offset, std::uint64_t bytes, spoc_be_error* error) {
    const exclusive on_stream(*stream);
    call now(spoc_mock_entry_buffer_host_access, stream->device, error);
    now.record.kind = op;
    now.record.stream = stream->number;
    now.record.dst = buffer->number;
    now.record.dst_offset = offset;
    now.record.bytes = bytes;
    if (!now.begin() || !now.is_alive(*stream, "stream") || !now.is_alive(*buffer, "buffer") ||
        !on_stream.holds(now)) {
        return now.status();
    }
    if (!now.offers(SPOC_BE_CAP_BUFFER_HOST_PTR) && !has(now, SPOC_BE_CAP_BUFFER_UNIFIED)) {
        return now.status();
    }
    if (op > SPOC_BE_HOST_END_WRITE) {
        return now.refuse("The mock does not know that host access.");
    }
    if (!check_access(now, *buffer)) {
        return now.status();
    }
    if (op == SPOC_BE_HOST_ACQUIRE) {
        submit(now.all, stream);
        const std::uint64_t last = now.all.sequence;
        const goal idle = {[=] { return has_run(stream, last); },
                           [stream, &all = now.all] { return step_towards(all, stream); }};
        if (wait_for(now, idle, SPOC_BE_FOREVER) != SPOC_BE_OK) {
            return now.status();
        }
    }
    move_sides(*buffer, now.record);
    buffer->host_writes = op == SPOC_BE_HOST_BEGIN_WRITE;
    buffer->write_offset = offset;
    buffer->write_bytes = bytes;
    return now.status();
}

}  // namespace spoc::mock
