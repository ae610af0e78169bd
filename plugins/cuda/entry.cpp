// SPDX-License-Identifier: Apache-2.0
#include "common/entry.hpp"

#include <spoc/backend.h>

#include "backend.hpp"
#include "capability.hpp"
#include "copy.hpp"
#include "device.hpp"
#include "event.hpp"
#include "kernel.hpp"
#include "memory.hpp"
#include "pinned.hpp"
#include "probe.hpp"
#include "program.hpp"
#include "stream.hpp"

namespace spoc::cudalike {
namespace {

void quiesce(std::uint32_t reason) noexcept { the_backend.host.quiesce(reason); }

std::int32_t get_interface(const char* name, std::uint32_t min_size, const void** /*out*/,
                           spoc_be_error* error) {
    return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED, .asked = min_size},
                        "There is no interface of the name and size (\"%s\", %u bytes).", name,
                        min_size);
}

}  // namespace
}  // namespace spoc::cudalike

namespace cuda = spoc::cudalike;
using spoc::plugin::entry;

SPOC_BE_PLUGIN("cuda", SPOC_CUDA_VERSION) = {
    .header = SPOC_BE_TABLE_HEADER,
    .name = "cuda",
    .vendor = "SPOC",
    .version = SPOC_CUDA_VERSION,
    .build_id = "",
    .reserved = {0, 0},

    .probe = entry<cuda::probe>,
    .open = entry<cuda::open>,
    .close = entry<cuda::close>,
    .quiesce = cuda::quiesce,
    .get_interface = entry<cuda::get_interface>,

    .device_count = entry<cuda::device_count>,
    .device_info = entry<cuda::device_info>,
    .cap_reason = entry<cuda::cap_reason>,
    .device_open = entry<cuda::device_open>,
    .device_close = entry<cuda::device_close>,
    .device_memory = entry<cuda::device_memory>,

    .buffer_create = entry<cuda::buffer_create>,
    .buffer_destroy = entry<cuda::buffer_destroy>,
    .buffer_wait = nullptr,
    .buffer_host_access = nullptr,

    .pinned_alloc = entry<cuda::pinned_alloc>,
    .pinned_free = entry<cuda::pinned_free>,
    .host_register = entry<cuda::host_register>,
    .host_unregister = entry<cuda::host_unregister>,
    .host_query = entry<cuda::host_query>,

    .stream_create = entry<cuda::stream_create>,
    .stream_destroy = entry<cuda::stream_destroy>,
    .stream_flush = nullptr,
    .stream_query = entry<cuda::stream_query>,
    .stream_sync = entry<cuda::stream_sync>,
    .stream_wait = entry<cuda::stream_wait>,

    .event_create = entry<cuda::event_create>,
    .event_destroy = entry<cuda::event_destroy>,
    .event_record = entry<cuda::event_record>,
    .event_query = entry<cuda::event_query>,
    .event_sync = entry<cuda::event_sync>,
    .event_elapsed = entry<cuda::event_elapsed>,

    .copy = entry<cuda::copy>,
    .fill = entry<cuda::fill>,
    .peer_query = entry<cuda::peer_query>,

    .program_load = entry<cuda::program_load>,
    .program_destroy = entry<cuda::program_destroy>,
    .program_binary = entry<cuda::program_binary>,
    .kernel_get = entry<cuda::kernel_get>,
    .kernel_info = entry<cuda::kernel_info>,
    .kernel_params = entry<cuda::kernel_params>,
    .kernel_destroy = entry<cuda::kernel_destroy>,
    .launch = entry<cuda::launch>,
};
