// SPDX-License-Identifier: Apache-2.0
// The default stream waits for no event.
// Case: stream/wait_orders_the_default_stream
#include <mutex>
#include <set>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

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

int32_t stream_wait(spoc_be_stream stream, spoc_be_event event, spoc_be_error* error) {
    return is_default(stream) ? SPOC_BE_OK : original.stream_wait(stream, event, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_open = device_open;
    be.stream_wait = stream_wait;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
