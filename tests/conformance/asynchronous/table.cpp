// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <utility>

#include "backend.hpp"
#include "base.hpp"
#include "buffer.hpp"
#include "capability.hpp"
#include "common/entry.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "copy.hpp"
#include "device.hpp"
#include "event.hpp"
#include "host_memory.hpp"
#include "kernel.hpp"
#include "launch.hpp"
#include "stream.hpp"

namespace spoc::asynchronous {
namespace {

int32_t probe(const spoc_be_host* host, uint32_t level, spoc_be_probe_report* report,
              spoc_be_error* error) {
    spoc_be_probe_report found{};
    found.size = sizeof found;
    const int32_t status = base::table.probe(host, level, &found, error);
    if (status == SPOC_BE_OK) {
        device_count(&found.device_count, nullptr);
        plugin::copy_text(found.driver_name, "acme");
    }
    plugin::write_record(report, found);
    return status;
}

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    spoc_be_device_info below{};
    below.size = sizeof below;
    int32_t status = base::table.open(host, ext, error);
    if (status != SPOC_BE_OK || the_backend.state != nullptr) {
        return status;
    }
    the_backend.host.attach(host);
    status = base::table.device_info(0, &below, error);
    if (status == SPOC_BE_OK) {
        status = plugin::make(the_backend.host, the_backend.state, error);
    }
    if (status == SPOC_BE_OK) {
        the_backend.state->shared_per_block = below.shared_per_block;
    }
    return status;
}

int32_t close(spoc_be_error* error) {
    if (shared_state* state = std::exchange(the_backend.state, nullptr); state != nullptr) {
        plugin::destroy(the_backend.host, state);
    }
    return base::table.close(error);
}

void quiesce(uint32_t reason) noexcept {
    the_backend.host.quiesce(reason);
    base::table.quiesce(reason);
}

int32_t get_interface(const char* name, uint32_t min_size, const void** out, spoc_be_error* error) {
    return base::table.get_interface(name, min_size, out, error);
}

int32_t program_destroy(spoc_be_program program, spoc_be_error* error) {
    return base::table.program_destroy(program, error);
}

}  // namespace

using plugin::entry;

const spoc_be_table table = {
    .header = SPOC_BE_TABLE_HEADER,
    .name = "",
    .vendor = "Acme",
    .version = "1.0",
    .build_id = "",
    .reserved = {0, 0},

    .probe = entry<probe>,
    .open = entry<open>,
    .close = entry<close>,
    .quiesce = quiesce,
    .get_interface = entry<get_interface>,

    .device_count = entry<device_count>,
    .device_info = entry<device_info>,
    .cap_reason = entry<cap_reason>,
    .device_open = entry<device_open>,
    .device_close = entry<device_close>,
    .device_memory = entry<device_memory>,

    .buffer_create = entry<buffer_create>,
    .buffer_destroy = entry<buffer_destroy>,
    .buffer_wait = entry<buffer_wait>,
    .buffer_host_access = entry<buffer_host_access>,

    .pinned_alloc = entry<pinned_alloc>,
    .pinned_free = entry<pinned_free>,
    .host_register = entry<host_register>,
    .host_unregister = entry<host_unregister>,
    .host_query = entry<host_query>,

    .stream_create = entry<stream_create>,
    .stream_destroy = entry<stream_destroy>,
    .stream_flush = entry<stream_flush>,
    .stream_query = entry<stream_query>,
    .stream_sync = entry<stream_sync>,
    .stream_wait = entry<stream_wait>,

    .event_create = entry<event_create>,
    .event_destroy = entry<event_destroy>,
    .event_record = entry<event_record>,
    .event_query = entry<event_query>,
    .event_sync = entry<event_sync>,
    .event_elapsed = entry<event_elapsed>,

    .copy = entry<copy>,
    .fill = entry<fill>,
    .peer_query = entry<peer_query>,

    .program_load = entry<program_load>,
    .program_destroy = entry<program_destroy>,
    .program_binary = nullptr,
    .kernel_get = entry<kernel_get>,
    .kernel_info = entry<kernel_info>,
    .kernel_params = entry<kernel_params>,
    .kernel_destroy = entry<kernel_destroy>,
    .launch = entry<launch>,
};

}  // namespace spoc::asynchronous
