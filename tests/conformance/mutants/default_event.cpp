// SPDX-License-Identifier: Apache-2.0
// An event recorded on the default stream is complete at once.
// Case: event/query_is_true_on_the_default_stream
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

std::mutex defaults_mutex;
std::set<spoc_be_stream> defaults;

int32_t device_open(uint32_t index, const spoc_be_device_desc* desc, spoc_be_device_result* result,
                    spoc_be_error* error) {
    const int32_t status = original.device_open(index, desc, result, error);
    if (status == SPOC_BE_OK) {
        const std::lock_guard lock(defaults_mutex);
        defaults.insert(result->default_stream);
    }
    return status;
}

bool is_default(spoc_be_stream stream) {
    const std::lock_guard lock(defaults_mutex);
    return defaults.count(stream) != 0;
}

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    const int32_t status = original.event_create(device, flags, out, error);
    if (status == SPOC_BE_OK) {
        mark(*out, false);
    }
    return status;
}

int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    mark(event, is_default(stream));
    return original.event_record(event, stream, error);
}

int32_t event_query(spoc_be_event event, spoc_be_error* error) {
    return is_marked(event) ? SPOC_BE_OK : original.event_query(event, error);
}

int32_t event_sync(spoc_be_event event, uint64_t timeout_ns, spoc_be_error* error) {
    return is_marked(event) ? SPOC_BE_OK : original.event_sync(event, timeout_ns, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_open = device_open;
    be.event_create = event_create;
    be.event_record = event_record;
    be.event_query = event_query;
    be.event_sync = event_sync;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
