// SPDX-License-Identifier: Apache-2.0
// A launch is held back, and its scalars are read when it is given to the stream.
// Case: launch/arguments_are_copied
#include <mutex>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

struct held {
    spoc_be_stream stream;
    spoc_be_launch request;
    std::vector<spoc_be_arg> args;  ///< their data is still the caller's
};

std::mutex mutex;
std::vector<held> waiting;

void submit() {
    const std::lock_guard lock(mutex);
    for (held& one : waiting) {
        uint32_t done = 0;
        one.request.args = one.args.data();
        original.launch(one.stream, &one.request, &done, nullptr);
    }
    waiting.clear();
}

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    if ((request->flags & SPOC_BE_WAIT) != 0) {
        submit();
        return original.launch(stream, request, done, error);
    }
    const std::lock_guard lock(mutex);
    waiting.push_back({stream, *request, {request->args, request->args + request->arg_count}});
    *done = SPOC_BE_DONE_NOTHING;
    return SPOC_BE_OK;
}

int32_t stream_sync(spoc_be_stream stream, uint64_t timeout_ns, spoc_be_error* error) {
    submit();
    return original.stream_sync(stream, timeout_ns, error);
}

int32_t stream_query(spoc_be_stream stream, spoc_be_error* error) {
    submit();
    return original.stream_query(stream, error);
}

int32_t event_record(spoc_be_event event, spoc_be_stream stream, spoc_be_error* error) {
    submit();
    return original.event_record(event, stream, error);
}

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    submit();
    return original.copy(stream, request, done, error);
}

int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error) {
    submit();
    return original.buffer_destroy(buffer, error);
}

constexpr void change(spoc_be_table& be) {
    be.launch = launch;
    be.stream_sync = stream_sync;
    be.stream_query = stream_query;
    be.event_record = event_record;
    be.copy = copy;
    be.buffer_destroy = buffer_destroy;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
