// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <cstdio>
#include <cstring>
#include <memory>

#include "backend.hpp"
#include "capability.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "open_device.hpp"

namespace spoc::cudalike {
namespace {

/// NVIDIA Corporation, as PCI knows it.
constexpr std::uint32_t vendor_id = 0x10DE;

std::uint32_t figure(std::uint32_t index, driver::attribute which) noexcept {
    const int value = attribute_of(index, which);
    return value < 0 ? SPOC_BE_UNKNOWN_32 : static_cast<std::uint32_t>(value);
}

/// The system's NUMA node of a PCI device, or unknown.
std::int32_t numa_node_of(const std::uint32_t (&pci)[4]) noexcept {
    char path[80];
    static_cast<void>(std::snprintf(path, sizeof path,
                                    "/sys/bus/pci/devices/%04x:%02x:%02x.%x/numa_node", pci[0],
                                    pci[1], pci[2], pci[3]));
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) {
        return SPOC_BE_NUMA_UNKNOWN;
    }
    std::int32_t node = SPOC_BE_NUMA_UNKNOWN;
    // NOLINTNEXTLINE(cert-err34-c): the kernel writes a number; anything else leaves "unknown"
    const bool read = std::fscanf(file, "%d", &node) == 1;
    static_cast<void>(std::fclose(file));
    return read ? node : SPOC_BE_NUMA_UNKNOWN;
}

void describe_driver(spoc_be_device_info& info) {
    char text[sizeof info.driver];
    const int version = the_backend.driver_version;
    const char* kernel = the_backend.kernel_driver;
    static_cast<void>(std::snprintf(text, sizeof text, "NVIDIA %s%sCUDA %d.%d", kernel,
                                    kernel[0] == '\0' ? "" : ", ", version / 1000,
                                    version % 1000 / 10));
    plugin::copy_text(info.driver, text);
}

void describe_place(spoc_be_device_info& info, driver::ordinal ordinal) {
    info.pci[0] = figure(info.index, driver::pci_domain);
    info.pci[1] = figure(info.index, driver::pci_bus);
    info.pci[2] = figure(info.index, driver::pci_device);
    info.pci[3] = 0;
    if (info.pci[1] != SPOC_BE_UNKNOWN_32) {
        info.flags |= SPOC_BE_DEVICE_HAS_PCI;
        info.numa_node = numa_node_of(info.pci);
    } else {
        info.numa_node = SPOC_BE_NUMA_UNKNOWN;
    }
    driver::uuid uuid{};
    if (api().device_uuid != nullptr && api().device_uuid(&uuid, ordinal) == driver::success) {
        std::memcpy(info.uuid, uuid.bytes, sizeof info.uuid);
        info.flags |= SPOC_BE_DEVICE_HAS_UUID;
    }
}

driver::result describe_identity(spoc_be_device_info& info, driver::ordinal ordinal) {
    if (const driver::result named = api().device_name(info.name, sizeof info.name, ordinal);
        named != driver::success) {
        return named;
    }
    info.kind = attribute_of(info.index, driver::integrated) > 0 ? SPOC_BE_KIND_INTEGRATED
                                                                 : SPOC_BE_KIND_DISCRETE;
    plugin::copy_text(info.vendor, "NVIDIA Corporation");
    plugin::copy_text(info.framework, "CUDA/PTX");
    info.vendor_id = vendor_id;
    info.device_id = SPOC_BE_UNKNOWN_32;
    info.driver_id = SPOC_BE_UNKNOWN_32;
    info.compute_major = figure(info.index, driver::compute_capability_major);
    info.compute_minor = figure(info.index, driver::compute_capability_minor);
    static_cast<void>(std::snprintf(info.arch, sizeof info.arch, "sm_%u%u", info.compute_major,
                                    info.compute_minor));
    describe_driver(info);
    describe_place(info, ordinal);
    return driver::success;
}

driver::result describe_memory(spoc_be_device_info& info, driver::ordinal ordinal) {
    std::size_t total = 0;
    if (const driver::result asked = api().device_total_memory(&total, ordinal);
        asked != driver::success) {
        return asked;
    }
    info.memory_total = total;
    info.max_alloc = total;
    info.max_binding = SPOC_BE_NO_LIMIT;
    info.max_pinned = SPOC_BE_UNKNOWN_64;
    info.pageable_max = SPOC_BE_NO_LIMIT;
    info.inline_write = 0;
    info.host_ptr_align = SPOC_BE_UNKNOWN_32;
    info.register_align = 1;
    info.inline_align = 1;
    info.copy_align = 1;
    return driver::success;
}

/// Parameter space of a kernel: 4 KiB, and since CUDA 12.1 more on Volta and later.
std::uint64_t argument_bytes(std::uint32_t index) {
    constexpr std::uint64_t small = 4096;
    constexpr std::uint64_t large = 32764;
    return the_backend.driver_version >= 12010 && capability_number(index) >= 70 ? large : small;
}

void describe_execution(spoc_be_device_info& info) {
    info.formats = formats_of(info.index);
    const std::uint32_t shared = figure(info.index, driver::max_shared_per_block_optin);
    info.shared_per_block =
        shared == SPOC_BE_UNKNOWN_32 ? figure(info.index, driver::max_shared_per_block) : shared;
    info.arg_bytes = argument_bytes(info.index);
    info.timer_ns = 0;  // the driver names no figure
    info.arg_buffers = static_cast<std::uint32_t>(info.arg_bytes / sizeof(driver::address));
    info.max_block_threads = figure(info.index, driver::max_threads_per_block);
    for (int axis = 0; axis < 3; ++axis) {
        info.max_block[axis] = figure(info.index, driver::max_block_dim_x + axis);
        info.max_grid[axis] = figure(info.index, driver::max_grid_dim_x + axis);
    }
    info.subgroup = figure(info.index, driver::warp_size);
    info.compute_units = figure(info.index, driver::multiprocessor_count);
    info.clock_khz = figure(info.index, driver::clock_rate);
    info.registers_per_block = figure(info.index, driver::max_registers_per_block);
    info.queues = SPOC_BE_UNKNOWN_32;
    info.copy_engines = figure(info.index, driver::async_engine_count);
    info.arg_offset_align = 1;
}

}  // namespace

int attribute_of(std::uint32_t index, driver::attribute which) noexcept {
    int value = 0;
    return api().device_attribute(&value, which, the_backend.devices[index]) == driver::success
               ? value
               : -1;
}

int capability_number(std::uint32_t index) noexcept {
    return attribute_of(index, driver::compute_capability_major) * 10 +
           attribute_of(index, driver::compute_capability_minor);
}

std::uint64_t formats_of(std::uint32_t index) noexcept {
    const auto format = [](std::uint32_t bit) { return std::uint64_t{1} << bit; };
    std::uint64_t formats = format(SPOC_BE_FORMAT_PTX) | format(SPOC_BE_FORMAT_CUDA_BINARY);
    formats |= offers(index, SPOC_BE_CAP_PROGRAM_BINARY) ? format(SPOC_BE_FORMAT_DRIVER_BINARY) : 0;
    formats |= the_backend.compiler.is_there() ? format(SPOC_BE_FORMAT_CUDA_C) : 0;
    return formats;
}

std::int32_t device_count(std::uint32_t* count, spoc_be_error* /*error*/) {
    *count = the_backend.device_count;
    return SPOC_BE_OK;
}

std::int32_t device_info(std::uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    const driver::ordinal ordinal = the_backend.devices[index];
    spoc_be_device_info description{};
    description.index = index;
    if (const driver::result asked = describe_identity(description, ordinal);
        asked != driver::success) {
        return fail_driver(error, asked, driver::call::device_name, "Asking for a device's name");
    }
    if (const driver::result asked = describe_memory(description, ordinal);
        asked != driver::success) {
        return fail_driver(error, asked, driver::call::device_total_memory,
                           "Asking for a device's memory");
    }
    describe_execution(description);
    describe_capabilities(description);
    plugin::write_record(info, description);
    return SPOC_BE_OK;
}

std::int32_t device_open(std::uint32_t index, const spoc_be_device_desc* desc,
                         spoc_be_device_result* result, spoc_be_error* error) {
    if (const std::int32_t status = plugin::check_request(desc->flags, 0, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    const driver::ordinal ordinal = the_backend.devices[index];
    driver::context context = nullptr;
    if (const driver::result retained = api().context_retain(&context, ordinal);
        retained != driver::success) {
        return fail_driver(error, retained, driver::call::context_retain, "Opening the device");
    }
    spoc_be_device device = nullptr;
    const std::int32_t status =
        plugin::make(the_backend.host, device, error, index, ordinal, context);
    if (status != SPOC_BE_OK) {
        static_cast<void>(api().context_release(ordinal));
        return status;
    }
    spoc_be_device_result made{};
    made.device = device;
    made.default_stream = &device->default_stream;
    plugin::write_record(result, made);
    return SPOC_BE_OK;
}

std::int32_t device_close(spoc_be_device device, spoc_be_error* error) {
    std::int32_t status = end_on_device(*device, error, [&] {
        device->events.clear();
        return SPOC_BE_OK;
    });
    // Of the primary context, which others in the process may use too, only the plugin's share is
    // given back.
    if (device->lost.load(std::memory_order_relaxed) == driver::success) {
        const driver::result released = api().context_release(device->ordinal);
        if (released != driver::success && status == SPOC_BE_OK) {
            status =
                fail_driver(error, released, driver::call::context_release, "Closing the device");
        }
    }
    plugin::destroy(the_backend.host, device);
    return status;
}

}  // namespace spoc::cudalike
