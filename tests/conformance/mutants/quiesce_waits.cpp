// SPDX-License-Identifier: Apache-2.0
// When the process ends the plugin waits for work that it has stopped.
// Case: process/exit_with_work_in_flight
#include <mutex>
#include <set>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::set<spoc_be_stream> streams;

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error) {
    const int32_t status = original.stream_create(device, desc, out, error);

    if (status == SPOC_BE_OK) {
        const std::lock_guard lock(mutex);
        streams.insert(*out);
    }
    return status;
}

int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    streams.erase(stream);
    return original.stream_destroy(stream, error);
}

void quiesce(uint32_t reason) {
    original.quiesce(reason);
    for (const spoc_be_stream stream : streams) {
        original.stream_sync(stream, SPOC_BE_FOREVER, nullptr);
    }
}

constexpr void change(spoc_be_table& be) {
    be.stream_create = stream_create;
    be.stream_destroy = stream_destroy;
    be.quiesce = quiesce;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
