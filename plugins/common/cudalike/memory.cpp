// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include "backend.hpp"
#include "capability.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "open_device.hpp"

namespace spoc::cudalike {
namespace {

std::int32_t allocate(spoc_be_device_s& device, const spoc_be_buffer_desc& desc,
                      driver::address& out, spoc_be_error* error) {
    if (desc.kind == SPOC_BE_BUFFER_DEVICE) {
        return check(device, api().memory_allocate(&out, desc.bytes), driver::call::memory_allocate,
                     "Allocating device memory", error, desc.bytes);
    }
    return check(
        device, api().memory_allocate_managed(&out, desc.bytes, driver::managed_attach_global),
        driver::call::memory_allocate_managed, "Allocating managed memory", error, desc.bytes);
}

bool makes(const spoc_be_device_s& device, std::uint32_t kind) {
    return kind == SPOC_BE_BUFFER_DEVICE ||
           (kind == SPOC_BE_BUFFER_UNIFIED && offers(device.index, SPOC_BE_CAP_BUFFER_UNIFIED));
}

}  // namespace

std::int32_t device_memory(spoc_be_device device, spoc_be_memory_info* info, spoc_be_error* error) {
    return on_device(*device, error, [&] {
        std::size_t free = 0;
        std::size_t total = 0;
        const std::int32_t status =
            check(*device, api().memory_info(&free, &total), driver::call::memory_info,
                  "Asking for the device's memory", error);
        if (status == SPOC_BE_OK) {
            spoc_be_memory_info found{};
            found.total = total;
            found.free = free;
            found.pinned_budget = SPOC_BE_UNKNOWN_64;
            plugin::write_record(info, found);
        }
        return status;
    });
}

std::int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                           spoc_be_buffer_result* result, spoc_be_error* error) {
    if (const std::int32_t status = plugin::check_request(desc->flags, 0, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (!makes(*device, desc->kind)) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The device makes no buffer of this kind (%u).", desc->kind);
    }
    return on_device(*device, error, [&] {
        driver::address start{};
        if (const std::int32_t status = allocate(*device, *desc, start, error);
            status != SPOC_BE_OK) {
            return status;
        }
        spoc_be_buffer_result made{};
        made.device_address = start;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): managed memory has one address on both sides
        made.host_address =
            desc->kind == SPOC_BE_BUFFER_UNIFIED ? reinterpret_cast<void*>(start) : nullptr;
        made.allocated = SPOC_BE_UNKNOWN_64;
        const std::int32_t status =
            plugin::make(the_backend.host, made.buffer, error, device, start);
        if (status == SPOC_BE_OK) {
            plugin::write_record(result, made);
        } else {
            static_cast<void>(api().memory_free(start));
        }
        return status;
    });
}

std::int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error) {
    spoc_be_device_s& device = *buffer->device;
    // The driver waits for work that uses the memory.
    const std::int32_t status = end_on_device(device, error, [&] {
        return check(device, api().memory_free(buffer->address), driver::call::memory_free,
                     "Freeing device memory", error);
    });
    plugin::destroy(the_backend.host, buffer);
    return status;
}

}  // namespace spoc::cudalike
