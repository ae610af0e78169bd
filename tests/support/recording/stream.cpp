// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "call.hpp"
#include "entries.hpp"
#include "request.hpp"
#include "work.hpp"

namespace spoc::mock {
namespace {

/// What is left of a stream's query or wait once its work is complete.
std::int32_t conclude(call& now, spoc_be_stream stream, std::uint64_t sequence) {
    if (now.status() == SPOC_BE_OK) {
        prove(stream, sequence);
        tell_late_failure(now, stream);
    }
    return now.status();
}

}  // namespace

std::int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc,
                           spoc_be_stream* out, spoc_be_error* error) {
    call now(spoc_mock_entry_stream_create, device, error);
    now.record.flags = desc->flags;
    now.record.priority = desc->priority;
    if (!now.begin() ||
        !takes(now, desc->flags, SPOC_BE_STREAM_NON_BLOCKING | SPOC_BE_STREAM_TIMING, desc->ext)) {
        return now.status();
    }
    if ((desc->flags & SPOC_BE_STREAM_TIMING) != 0 &&
        !offers(device->info, SPOC_BE_CAP_EVENT_TIMING)) {
        return now.breach("A stream with timing is asked for where there is no timing.");
    }
    *out =
        now.all.streams.make(now.all.recycles(), now.all.next_number(), device, desc->flags, false);
    ++device->objects;
    now.record.stream = (*out)->number;
    return now.status();
}

std::int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error) {
    call now(spoc_mock_entry_stream_destroy, stream->device, error);
    now.record.stream = stream->number;
    now.begin_ending();
    if (!now.is_alive(*stream, "stream")) {
        return now.status();
    }
    if (stream->is_default) {
        return now.breach("A default stream is destroyed.");
    }
    if (!stream->device->lost && (!stream->queue.empty() || stream->proved < stream->unproved)) {
        now.breach("A stream is destroyed before its work was proved complete.");
    }
    stream->queue.clear();
    --stream->device->objects;
    now.all.streams.end(stream);
    return now.status();
}

std::int32_t stream_flush(spoc_be_stream stream, spoc_be_error* error) {
    call now(spoc_mock_entry_stream_flush, stream->device, error);
    now.record.stream = stream->number;
    if (now.begin() && now.is_alive(*stream, "stream")) {
        submit(now.all, stream);
    }
    return now.status();
}

std::int32_t stream_query(spoc_be_stream stream, spoc_be_error* error) {
    call now(spoc_mock_entry_stream_query, stream->device, error);
    now.record.stream = stream->number;
    if (!now.begin() || !now.is_alive(*stream, "stream") || now.quiet()) {
        return now.status();
    }
    submit(now.all, stream);
    now.answer(stream->queue.empty() ? SPOC_BE_OK : SPOC_BE_NOT_READY);
    return conclude(now, stream, now.all.sequence);
}

std::int32_t stream_sync(spoc_be_stream stream, std::uint64_t timeout_ns, spoc_be_error* error) {
    call now(spoc_mock_entry_stream_sync, stream->device, error);
    now.record.stream = stream->number;
    now.record.timeout_ns = timeout_ns;
    if (!now.begin() || !now.is_alive(*stream, "stream") || now.quiet()) {
        return now.status();
    }
    submit(now.all, stream);
    // What other threads enqueue during the wait is not waited for.
    const std::uint64_t last = now.all.sequence;
    wait_for(now,
             {[=] { return has_run(stream, last); },
              [stream, &all = now.all] { return step_towards(all, stream); }},
             timeout_ns);
    return conclude(now, stream, last);
}

}  // namespace spoc::mock
