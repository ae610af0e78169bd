// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>
#include <iterator>

#include "backend.hpp"
#include "capability.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "machine.hpp"

namespace spoc::native {
namespace {

void describe_identity(spoc_be_device_info& info) {
    const machine& machine = this_machine();
    info.kind = SPOC_BE_KIND_CPU;
    plugin::copy_text(info.name, machine.name);
    plugin::copy_text(info.vendor, machine.vendor);
    plugin::copy_text(info.arch, machine.architecture);
    plugin::copy_text(info.driver, "spoc-native " SPOC_NATIVE_VERSION);
    plugin::copy_text(info.framework, "Native");
    info.vendor_id = SPOC_BE_UNKNOWN_32;
    info.device_id = SPOC_BE_UNKNOWN_32;
    info.driver_id = SPOC_BE_UNKNOWN_32;
    info.numa_node = SPOC_BE_NUMA_UNKNOWN;
    info.compute_major = SPOC_BE_UNKNOWN_32;
    info.compute_minor = SPOC_BE_UNKNOWN_32;
}

void describe_memory(spoc_be_device_info& info) {
    const machine& machine = this_machine();
    info.memory_total = machine.memory_total;
    info.max_alloc = machine.memory_total;
    info.max_binding = SPOC_BE_NO_LIMIT;
    info.max_pinned = SPOC_BE_NO_LIMIT;
    info.pageable_max = SPOC_BE_NO_LIMIT;
    info.inline_write = SPOC_BE_NO_LIMIT;
    info.host_ptr_align = 1;
    info.register_align = 1;
    info.inline_align = 1;
    info.copy_align = 1;
}

void describe_execution(spoc_be_device_info& info) {
    const machine& machine = this_machine();
    info.formats = uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
    info.shared_per_block = max_shared_bytes;
    info.arg_bytes = SPOC_BE_NO_LIMIT;
    info.timer_ns = 1.0;
    info.arg_buffers = SPOC_BE_UNKNOWN_32;
    info.max_block_threads = max_block_threads;
    std::fill(std::begin(info.max_block), std::end(info.max_block), max_block_threads);
    std::copy(std::begin(max_grid), std::end(max_grid), std::begin(info.max_grid));
    info.subgroup = 1;
    info.compute_units = machine.cpu_count;
    info.clock_khz = machine.clock_khz;
    info.registers_per_block = SPOC_BE_UNKNOWN_32;
    info.queues = SPOC_BE_UNKNOWN_32;
    info.copy_engines = SPOC_BE_UNKNOWN_32;
    info.arg_offset_align = 1;
}

}  // namespace

int32_t device_count(uint32_t* count, spoc_be_error* /*error*/) {
    *count = 1;
    return SPOC_BE_OK;
}

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* /*error*/) {
    spoc_be_device_info description{};
    description.index = index;
    describe_identity(description);
    describe_memory(description);
    describe_execution(description);
    describe_capabilities(description);
    plugin::write_record(info, description);
    return SPOC_BE_OK;
}

int32_t device_open(uint32_t /*index*/, const spoc_be_device_desc* desc,
                    spoc_be_device_result* result, spoc_be_error* error) {
    if (const int32_t status = plugin::check_request(desc->flags, 0, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    spoc_be_device device = nullptr;
    if (const int32_t status = plugin::make(the_backend.host, device, error);
        status != SPOC_BE_OK) {
        return status;
    }
    spoc_be_device_result made{};
    made.device = device;
    made.default_stream = &device->default_stream;
    plugin::write_record(result, made);
    return SPOC_BE_OK;
}

int32_t device_close(spoc_be_device device, spoc_be_error* /*error*/) {
    plugin::destroy(the_backend.host, device);
    return SPOC_BE_OK;
}

int32_t device_memory(spoc_be_device /*device*/, spoc_be_memory_info* info,
                      spoc_be_error* /*error*/) {
    const memory_state memory = read_memory();
    spoc_be_memory_info found{};
    found.total = memory.total;
    found.free = memory.available;
    found.pinned_budget = memory.available;
    plugin::write_record(info, found);
    return SPOC_BE_OK;
}

}  // namespace spoc::native
