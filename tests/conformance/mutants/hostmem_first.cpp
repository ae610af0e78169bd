// SPDX-License-Identifier: Apache-2.0
// All ranges of a copy are taken to lie in the page-locked block of the first.
// Case: copy/several_blocks
#include <cstddef>
#include <map>
#include <mutex>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::map<spoc_be_hostmem, std::byte*> starts;

int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error) {
    const int32_t status = original.pinned_alloc(device, desc, result, error);
    if (status == SPOC_BE_OK && result->size >= sizeof *result) {
        const std::lock_guard lock(mutex);
        starts[result->hostmem] = static_cast<std::byte*>(result->host);
    }
    return status;
}

std::byte* start_of(spoc_be_hostmem hostmem) {
    const std::lock_guard lock(mutex);
    const auto found = starts.find(hostmem);
    return found == starts.end() ? nullptr : found->second;
}

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    std::byte* const start =
        request->kind <= SPOC_BE_COPY_D2H ? start_of(request->ranges->hostmem) : nullptr;
    return copy_changed(stream, *request, done, error, [start](spoc_be_range& range) {
        range.host =
            start == nullptr || range.hostmem == nullptr ? range.host : start + range.host_offset;
    });
}

constexpr void change(spoc_be_table& be) {
    be.pinned_alloc = pinned_alloc;
    be.copy = copy;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
