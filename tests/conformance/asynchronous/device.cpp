// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <cstdio>

#include "backend.hpp"
#include "base.hpp"
#include "capability.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/status.hpp"
#include "host_memory.hpp"

namespace spoc::asynchronous {
namespace {

/// The native plugin's only device, which stands behind each of these.
constexpr uint32_t native_index = 0;

}  // namespace

int32_t device_count(uint32_t* count, spoc_be_error* /*error*/) {
    *count = 2;
    return SPOC_BE_OK;
}

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    spoc_be_device_info found{};
    found.size = sizeof found;
    if (const int32_t status = base::table.device_info(native_index, &found, error);
        status != SPOC_BE_OK) {
        return status;
    }
    found.index = index;
    static_cast<void>(std::snprintf(found.name, sizeof found.name, "Acme queue %u", index));
    plugin::copy_text(found.vendor, "Acme");
    plugin::copy_text(found.driver, "acme 1.0");
    found.register_align = register_align;
    // Unlike those of the native plugin, so that the suite meets other figures.
    found.host_ptr_align = 64;
    found.max_alloc = SPOC_BE_NO_LIMIT;
    found.inline_write = 65536;
    found.inline_align = 4;
    adjust_capabilities(found);
    plugin::write_record(info, found);
    return SPOC_BE_OK;
}

int32_t device_open(uint32_t /*index*/, const spoc_be_device_desc* desc,
                    spoc_be_device_result* result, spoc_be_error* error) {
    spoc_be_device_result below{};
    below.size = sizeof below;
    if (const int32_t status = base::table.device_open(native_index, desc, &below, error);
        status != SPOC_BE_OK) {
        return status;
    }
    device* made = nullptr;
    if (const int32_t status =
            plugin::make(the_backend.host, made, error, below.device, below.default_stream);
        status != SPOC_BE_OK) {
        base::table.device_close(below.device, nullptr);
        return status;
    }
    spoc_be_device_result answer{};
    answer.device = made->handle();
    answer.default_stream = made->default_stream.handle();
    plugin::write_record(result, answer);
    return SPOC_BE_OK;
}

int32_t device_close(spoc_be_device handle, spoc_be_error* error) {
    const spoc_be_device below = device::of(handle).base;
    plugin::destroy(the_backend.host, &device::of(handle));
    return base::table.device_close(below, error);
}

int32_t device_memory(spoc_be_device handle, spoc_be_memory_info* info, spoc_be_error* error) {
    return base::table.device_memory(device::of(handle).base, info, error);
}

int32_t peer_query(spoc_be_device /*src*/, spoc_be_device /*dst*/, uint32_t* flags,
                   spoc_be_error* /*error*/) {
    *flags = SPOC_BE_PEER_COPY | SPOC_BE_PEER_DIRECT | SPOC_BE_PEER_EVENTS;
    return SPOC_BE_OK;
}

}  // namespace spoc::asynchronous
