// SPDX-License-Identifier: Apache-2.0
// A new event may be a destroyed one as it was, with its recording.
// Case: event/elapsed_of_a_new_event
#include <map>
#include <mutex>
#include <vector>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::map<uint32_t, std::vector<spoc_be_event>> pool;  // by flags
std::map<spoc_be_event, uint32_t> flags_of;

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    std::vector<spoc_be_event>& free = pool[flags];
    if (!free.empty()) {
        *out = free.back();
        free.pop_back();
        return SPOC_BE_OK;
    }
    const int32_t status = original.event_create(device, flags, out, error);
    if (status == SPOC_BE_OK) {
        flags_of[*out] = flags;
    }
    return status;
}

int32_t event_destroy(spoc_be_event event, spoc_be_error* /*error*/) {
    const std::lock_guard lock(mutex);
    pool[flags_of[event]].push_back(event);
    return SPOC_BE_OK;
}

int32_t device_close(spoc_be_device device, spoc_be_error* error) {
    {
        const std::lock_guard lock(mutex);
        for (const auto& [event, flags] : flags_of) {
            original.event_destroy(event, nullptr);
        }
        pool.clear();
        flags_of.clear();
    }
    return original.device_close(device, error);
}

constexpr void change(spoc_be_table& be) {
    be.event_create = event_create;
    be.event_destroy = event_destroy;
    be.device_close = device_close;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
