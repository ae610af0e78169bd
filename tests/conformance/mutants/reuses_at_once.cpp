// SPDX-License-Identifier: Apache-2.0
// The memory of a destroyed buffer is used for something else while work is pending.
// Case: launch/buffer_destroyed_while_pending
#include <cstring>
#include <map>
#include <mutex>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

struct place {
    void* start;
    uint64_t bytes;
};

std::mutex mutex;
std::map<spoc_be_buffer, place> places;

int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error) {
    const int32_t status = original.buffer_create(device, desc, result, error);
    if (status == SPOC_BE_OK && desc->kind == SPOC_BE_BUFFER_DEVICE) {
        // The device is the host.
        place made{nullptr, desc->bytes};
        static_assert(sizeof made.start == sizeof result->device_address);
        std::memcpy(&made.start, &result->device_address, sizeof made.start);
        const std::lock_guard lock(mutex);
        places[result->buffer] = made;
    }
    return status;
}

int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    if (const auto found = places.find(buffer); found != places.end()) {
        std::memset(found->second.start, 0x5A, found->second.bytes);
        places.erase(found);
    }
    return original.buffer_destroy(buffer, error);
}

constexpr void change(spoc_be_table& be) {
    be.buffer_create = buffer_create;
    be.buffer_destroy = buffer_destroy;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
