// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::asynchronous {

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error);
int32_t event_destroy(spoc_be_event event, spoc_be_error* error);
int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error);
int32_t event_query(spoc_be_event event, spoc_be_error* error);
int32_t event_sync(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error);
int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns, spoc_be_error* error);
int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error);

}  // namespace spoc::asynchronous
