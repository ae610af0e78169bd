// SPDX-License-Identifier: Apache-2.0
#include "common/entry.hpp"

#include "entries.hpp"
#include "settings.hpp"

/// The one file that differs between the two plugins.
#ifdef SPOC_MOCK_MINIMAL
#define SPOC_MOCK_NAME "mockmin"
#define SPOC_MOCK_OPTIONAL(entry) nullptr
const bool spoc::mock::is_minimal = true;
#else
#define SPOC_MOCK_NAME "mock"
#define SPOC_MOCK_OPTIONAL(entry) entry
const bool spoc::mock::is_minimal = false;
#endif

namespace mock = spoc::mock;
using spoc::plugin::entry;

SPOC_BE_PLUGIN(SPOC_MOCK_NAME, "1.0") = {
    .header = SPOC_BE_TABLE_HEADER,
    .name = SPOC_MOCK_NAME,
    .vendor = "SPOC",
    .version = "1.0",
    .build_id = "",
    .reserved = {0, 0},

    .probe = entry<mock::probe>,
    .open = entry<mock::open>,
    .close = entry<mock::close>,
    .quiesce = mock::quiesce,
    .get_interface = entry<mock::get_interface>,

    .device_count = entry<mock::device_count>,
    .device_info = entry<mock::device_info>,
    .cap_reason = SPOC_MOCK_OPTIONAL(entry<mock::cap_reason>),
    .device_open = entry<mock::device_open>,
    .device_close = entry<mock::device_close>,
    .device_memory = entry<mock::device_memory>,

    .buffer_create = entry<mock::buffer_create>,
    .buffer_destroy = entry<mock::buffer_destroy>,
    .buffer_wait = SPOC_MOCK_OPTIONAL(entry<mock::buffer_wait>),
    .buffer_host_access = SPOC_MOCK_OPTIONAL(entry<mock::buffer_host_access>),

    .pinned_alloc = SPOC_MOCK_OPTIONAL(entry<mock::pinned_alloc>),
    .pinned_free = SPOC_MOCK_OPTIONAL(entry<mock::pinned_free>),
    .host_register = SPOC_MOCK_OPTIONAL(entry<mock::host_register>),
    .host_unregister = SPOC_MOCK_OPTIONAL(entry<mock::host_unregister>),
    .host_query = SPOC_MOCK_OPTIONAL(entry<mock::host_query>),

    .stream_create = entry<mock::stream_create>,
    .stream_destroy = entry<mock::stream_destroy>,
    .stream_flush = SPOC_MOCK_OPTIONAL(entry<mock::stream_flush>),
    .stream_query = entry<mock::stream_query>,
    .stream_sync = entry<mock::stream_sync>,
    .stream_wait = entry<mock::stream_wait>,

    .event_create = entry<mock::event_create>,
    .event_destroy = entry<mock::event_destroy>,
    .event_record = entry<mock::event_record>,
    .event_query = entry<mock::event_query>,
    .event_sync = entry<mock::event_sync>,
    .event_elapsed = SPOC_MOCK_OPTIONAL(entry<mock::event_elapsed>),

    .copy = entry<mock::copy>,
    .fill = entry<mock::fill>,
    .peer_query = SPOC_MOCK_OPTIONAL(entry<mock::peer_query>),

    .program_load = SPOC_MOCK_OPTIONAL(entry<mock::program_load>),
    .program_destroy = SPOC_MOCK_OPTIONAL(entry<mock::program_destroy>),
    .program_binary = SPOC_MOCK_OPTIONAL(entry<mock::program_binary>),
    .kernel_get = SPOC_MOCK_OPTIONAL(entry<mock::kernel_get>),
    .kernel_info = SPOC_MOCK_OPTIONAL(entry<mock::kernel_info>),
    .kernel_params = SPOC_MOCK_OPTIONAL(entry<mock::kernel_params>),
    .kernel_destroy = SPOC_MOCK_OPTIONAL(entry<mock::kernel_destroy>),
    .launch = SPOC_MOCK_OPTIONAL(entry<mock::launch>),
};
