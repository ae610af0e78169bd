// SPDX-License-Identifier: Apache-2.0
// An event keeps its first recording.
// Case: event/recorded_again
#include <mutex>
#include <set>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::set<spoc_be_event> recorded;

int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    return recorded.insert(event).second ? original.event_record(event, stream, error) : SPOC_BE_OK;
}

int32_t event_destroy(spoc_be_event event, spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    recorded.erase(event);
    return original.event_destroy(event, error);
}

constexpr void change(spoc_be_table& be) {
    be.event_record = event_record;
    be.event_destroy = event_destroy;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
