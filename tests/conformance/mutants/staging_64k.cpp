// SPDX-License-Identifier: Apache-2.0
// Copies of up to 64 KiB to the device go through one block, without a lock.
// Case: thread/contended_copies
#include <cstddef>
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::byte staging[65536];

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    if (request->kind != SPOC_BE_COPY_H2D || request->count != 1 ||
        request->ranges->bytes > sizeof staging) {
        return original.copy(stream, request, done, error);
    }
    std::memcpy(staging, request->ranges->host, request->ranges->bytes);
    return copy_changed(stream, *request, done, error, [](spoc_be_range& range) {
        range.host = staging;
        range.hostmem = nullptr;
        range.host_offset = 0;
    });
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
