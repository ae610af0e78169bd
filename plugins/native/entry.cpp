// SPDX-License-Identifier: Apache-2.0
#include "common/entry.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include <spoc/backend.h>
#include <spoc/native.h>

#include "backend.hpp"
#include "capability.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "copy.hpp"
#include "device.hpp"
#include "event.hpp"
#include "kernel.hpp"
#include "launch.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "pinned.hpp"
#include "program.hpp"
#include "registry.hpp"
#include "stream.hpp"

namespace spoc::native {
namespace {

constexpr spoc_native_kernels kernels_interface = {sizeof(spoc_native_kernels), 0,
                                                   plugin::entry<add_kernel>};

/// Beyond this a setting is a slip, and obeying it would exhaust the system's threads.
constexpr uint32_t most_threads = 4096;

uint32_t usable_cpus() {
    const uint32_t count = this_machine().cpu_count;
    return count != SPOC_BE_UNKNOWN_32 ? count : std::max(1U, std::thread::hardware_concurrency());
}

/// Threads that work on one launch, the launching one included: the setting "native.threads", which
/// the host has checked, or the CPUs.
uint32_t pool_width(plugin::host& host) {
    const uint32_t cpus = usable_cpus();
    const char* text = host.setting("native.threads");
    uint32_t value = 0;
    if (text != nullptr) {
        std::from_chars(text, text + std::strlen(text), value);
    }
    return value > 0 && value <= most_threads ? value : cpus;
}

int32_t probe(const spoc_be_host* /*host*/, uint32_t level, spoc_be_probe_report* report,
              spoc_be_error* /*error*/) {
    spoc_be_probe_report found{};
    found.level = level;
    found.device_count = 1;
    std::fill(std::begin(found.driver_version), std::end(found.driver_version), SPOC_BE_UNKNOWN_32);
    std::fill(std::begin(found.driver_minimum), std::end(found.driver_minimum), SPOC_BE_UNKNOWN_32);
    plugin::copy_text(found.driver_name, "spoc-native");
    plugin::write_record(report, found);
    return SPOC_BE_OK;
}

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    if (const int32_t status = plugin::check_request(0, 0, ext, error); status != SPOC_BE_OK) {
        return status;
    }
    backend& backend = the_backend;
    if (backend.pool != nullptr) {
        return SPOC_BE_OK;
    }
    backend.host.attach(host);
    return plugin::make(backend.host, backend.pool, error, backend.host, pool_width(backend.host));
}

int32_t close(spoc_be_error* /*error*/) {
    // A failed open leaves none.
    if (thread_pool* pool = std::exchange(the_backend.pool, nullptr); pool != nullptr) {
        plugin::destroy(the_backend.host, pool);
    }
    return SPOC_BE_OK;
}

void quiesce(uint32_t reason) noexcept { the_backend.host.quiesce(reason); }

int32_t get_interface(const char* name, uint32_t min_size, const void** out, spoc_be_error* error) {
    if (name != std::string_view(SPOC_NATIVE_KERNELS_INTERFACE) ||
        min_size > sizeof kernels_interface) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED, .asked = min_size},
                            "There is no interface of the name and size (\"%s\", %u bytes).", name,
                            min_size);
    }
    *out = &kernels_interface;
    return SPOC_BE_OK;
}

}  // namespace
}  // namespace spoc::native

namespace native = spoc::native;
using spoc::plugin::entry;

SPOC_BE_PLUGIN("native", SPOC_NATIVE_VERSION) = {
    .header = SPOC_BE_TABLE_HEADER,
    .name = "native",
    .vendor = "SPOC",
    .version = SPOC_NATIVE_VERSION,
    .build_id = "",
    .reserved = {0, 0},

    .probe = entry<native::probe>,
    .open = entry<native::open>,
    .close = entry<native::close>,
    .quiesce = native::quiesce,
    .get_interface = entry<native::get_interface>,

    .device_count = entry<native::device_count>,
    .device_info = entry<native::device_info>,
    .cap_reason = entry<native::cap_reason>,
    .device_open = entry<native::device_open>,
    .device_close = entry<native::device_close>,
    .device_memory = entry<native::device_memory>,

    .buffer_create = entry<native::buffer_create>,
    .buffer_destroy = entry<native::buffer_destroy>,
    .buffer_wait = nullptr,
    .buffer_host_access = nullptr,

    .pinned_alloc = entry<native::pinned_alloc>,
    .pinned_free = entry<native::pinned_free>,
    .host_register = nullptr,
    .host_unregister = nullptr,
    .host_query = nullptr,

    .stream_create = entry<native::stream_create>,
    .stream_destroy = entry<native::stream_destroy>,
    .stream_flush = entry<native::stream_flush>,
    .stream_query = entry<native::stream_query>,
    .stream_sync = entry<native::stream_sync>,
    .stream_wait = entry<native::stream_wait>,

    .event_create = entry<native::event_create>,
    .event_destroy = entry<native::event_destroy>,
    .event_record = entry<native::event_record>,
    .event_query = entry<native::event_query>,
    .event_sync = entry<native::event_sync>,
    .event_elapsed = entry<native::event_elapsed>,

    .copy = entry<native::copy>,
    .fill = entry<native::fill>,
    .peer_query = nullptr,

    .program_load = entry<native::program_load>,
    .program_destroy = entry<native::program_destroy>,
    .program_binary = nullptr,
    .kernel_get = entry<native::kernel_get>,
    .kernel_info = entry<native::kernel_info>,
    .kernel_params = entry<native::kernel_params>,
    .kernel_destroy = entry<native::kernel_destroy>,
    .launch = entry<native::launch>,
};
