// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {

/// The entry `copy`, with copies of one range of up to `Bytes` bytes to the device going through
/// one block, which no lock guards.
template <std::size_t Bytes>
int32_t copy_through_block(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
                           spoc_be_error* error) {
    static std::byte staging[Bytes];
    if (request->kind != SPOC_BE_COPY_H2D || request->count != 1 ||
        request->ranges->bytes > Bytes) {
        return original.copy(stream, request, done, error);
    }
    std::memcpy(staging, request->ranges->host, request->ranges->bytes);
    return copy_changed(stream, *request, done, error, [](spoc_be_range& range) {
        range.host = staging;
        range.hostmem = nullptr;
        range.host_offset = 0;
    });
}

}  // namespace spoc::mutant
