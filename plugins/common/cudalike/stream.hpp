// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::cudalike {

std::int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc,
                           spoc_be_stream* out, spoc_be_error* error);
std::int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error);
std::int32_t stream_query(spoc_be_stream stream, spoc_be_error* error);
std::int32_t stream_sync(spoc_be_stream stream, std::uint64_t timeout_ns, spoc_be_error* error);
std::int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error);

/// Waits for everything on the stream; its device is current.
std::int32_t drain(spoc_be_stream stream, spoc_be_error* error);

/// How an entry ends that has put work on the stream, given its request's `flags`; its device is
/// current. Sets `*done`.
std::int32_t finish_enqueued(spoc_be_stream stream, std::uint32_t flags, std::uint32_t* done,
                             spoc_be_error* error);

}  // namespace spoc::cudalike
