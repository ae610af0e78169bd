// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <mutex>

#include "backend.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "device.hpp"

namespace spoc::native {
namespace {

/// Returns when the handle is the only use of a host range, whose memory the application may take
/// away next.
void wait_for_work(spoc_be_buffer buffer) noexcept {
    std::unique_lock lock(buffer->device->mutex);
    buffer->device->range_released.wait(
        lock, [buffer] { return buffer->users.load(std::memory_order_acquire) == 1; });
}

/// Memory for a buffer of its own; none for a host range.
int32_t take_memory(const spoc_be_buffer_desc& desc, pages& out, spoc_be_error* error) {
    switch (desc.kind) {
        case SPOC_BE_BUFFER_HOST_RANGE:
            return SPOC_BE_OK;
        case SPOC_BE_BUFFER_DEVICE:
        case SPOC_BE_BUFFER_UNIFIED:
            return pages::allocate(desc.bytes, out, error);
        default:
            return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                                "The backend makes no buffer of this kind (%u).", desc.kind);
    }
}

}  // namespace

void retain(spoc_be_buffer buffer) noexcept {
    buffer->users.fetch_add(1, std::memory_order_relaxed);
}

void release(spoc_be_buffer buffer) noexcept {
    spoc_be_device_s& device = *buffer->device;
    const bool is_host_range = buffer->is_host_range();
    const uint32_t left = buffer->users.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if (left == 0) {
        plugin::destroy(the_backend.host, buffer);
    } else if (left == 1 && is_host_range) {
        const std::lock_guard lock(device.mutex);
        device.range_released.notify_all();
    }
}

int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error) {
    if (const int32_t status = plugin::check_request(desc->flags, 0, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    pages memory;
    if (const int32_t status = take_memory(*desc, memory, error); status != SPOC_BE_OK) {
        return status;
    }
    void* bytes = desc->kind == SPOC_BE_BUFFER_HOST_RANGE ? desc->host : memory.start();
    spoc_be_buffer_result made{};
    made.device_address = reinterpret_cast<uintptr_t>(bytes);
    made.host_address = desc->kind == SPOC_BE_BUFFER_DEVICE ? nullptr : bytes;
    made.allocated = memory.bytes();
    const int32_t status =
        plugin::make(the_backend.host, made.buffer, error, device, std::move(memory), bytes);
    if (status == SPOC_BE_OK) {
        plugin::write_record(result, made);
    }
    return status;
}

int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* /*error*/) {
    if (buffer->is_host_range()) {
        wait_for_work(buffer);
    }
    release(buffer);
    return SPOC_BE_OK;
}

}  // namespace spoc::native
