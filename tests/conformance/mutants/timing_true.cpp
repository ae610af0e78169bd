// SPDX-License-Identifier: Apache-2.0
// Events with timing are complete at once.
// Case: event/timed_query_is_true
#include <mutex>
#include <set>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::set<spoc_be_event> marked;

bool is_marked(spoc_be_event event) {
    const std::lock_guard lock(mutex);
    return marked.count(event) != 0;
}

void mark(spoc_be_event event, bool wanted) {
    const std::lock_guard lock(mutex);
    if (wanted) {
        marked.insert(event);
    } else {
        marked.erase(event);
    }
}

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    const int32_t status = original.event_create(device, flags, out, error);
    if (status == SPOC_BE_OK) {
        mark(*out, (flags & SPOC_BE_EVENT_TIMING) != 0);
    }
    return status;
}

int32_t event_query(spoc_be_event event, spoc_be_error* error) {
    return is_marked(event) ? SPOC_BE_OK : original.event_query(event, error);
}

int32_t event_sync(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error) {
    return is_marked(event) ? SPOC_BE_OK : original.event_sync(event, timeout_ns, error);
}

constexpr void change(spoc_be_table& be) {
    be.event_create = event_create;
    be.event_query = event_query;
    be.event_sync = event_sync;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
