// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of mistakes: streams and events.

#include <cstdint>

#include "refusal_table.hpp"

namespace spoc::test {

list about_streams(const objects& all, places& out) {
    static spoc_stream_options unknown{sizeof unknown, 1U << 9, 0, 0};
    static spoc_stream_options unset{};
    return {
        {"a stream on no device", null,
         calling(spoc_stream_create, spoc_device{}, no_options, &out.stream)},
        {"no place for a stream", null,
         calling(spoc_stream_create, all.first, no_options, no_place<spoc_stream>)},
        {"a flag that is none", value,
         calling(spoc_stream_create, all.first, static_cast<const spoc_stream_options*>(&unknown),
                 &out.stream)},
        {"options without a size", value,
         calling(spoc_stream_create, all.first, static_cast<const spoc_stream_options*>(&unset),
                 &out.stream)},
        {"the default stream of no device", null,
         calling(spoc_stream_default, spoc_device{}, &out.stream)},
        {"no place for a default stream", null,
         calling(spoc_stream_default, all.first, no_place<spoc_stream>)},
        {"the device of no stream", null, calling(spoc_stream_device, spoc_stream{}, &out.device)},
        {"no place for a device", null,
         calling(spoc_stream_device, all.open->get(), no_place<spoc_device>)},
        {"synchronising no stream", null, calling(spoc_stream_synchronize, spoc_stream{})},
        {"synchronising a closed one", destroyed,
         calling(spoc_stream_synchronize, all.closed->get())},
        {"asking no stream", null, calling(spoc_stream_query, spoc_stream{}, &out.flag)},
        {"no place for whether it is idle", null,
         calling(spoc_stream_query, all.open->get(), no_place<std::int32_t>)},
        {"asking a closed one", destroyed,
         calling(spoc_stream_query, all.closed->get(), &out.flag)},
        {"flushing no stream", null, calling(spoc_stream_flush, spoc_stream{})},
        {"flushing a closed one", destroyed, calling(spoc_stream_flush, all.closed->get())},
        {"closing no stream", null, calling(spoc_stream_close, spoc_stream{})},
        {"synchronising no device", null, calling(spoc_device_synchronize, spoc_device{})},
    };
}

list about_events(const objects& all, places& out) {
    const spoc_event mark = all.mark->get();
    const spoc_event timed = all.timed->get();
    const spoc_stream open = all.open->get();
    return {
        {"an event on no device", null, calling(spoc_event_create, spoc_device{}, 0U, &out.event)},
        {"no place for an event", null,
         calling(spoc_event_create, all.first, 0U, no_place<spoc_event>)},
        {"a flag that is none", value, calling(spoc_event_create, all.first, 6U, &out.event)},
        {"recording no event", null, calling(spoc_event_record, spoc_event{}, open)},
        {"recording on no stream", null, calling(spoc_event_record, mark, spoc_stream{})},
        {"recording on another device", wrong_device,
         calling(spoc_event_record, mark, all.other_stream->get())},
        {"recording on another backend", wrong_device,
         calling(spoc_event_record, mark, all.foreign_stream->get())},
        {"recording on a closed stream", destroyed,
         calling(spoc_event_record, mark, all.closed->get())},
        {"timing on an untimed stream", value,
         calling(spoc_event_record, timed, all.untimed->get())},
        {"no stream that waits", null, calling(spoc_stream_wait_event, spoc_stream{}, mark)},
        {"waiting for no event", null, calling(spoc_stream_wait_event, open, spoc_event{})},
        {"waiting for another backend", wrong_device,
         calling(spoc_stream_wait_event, open, all.foreign_mark->get())},
        {"a closed stream that waits", destroyed,
         calling(spoc_stream_wait_event, all.closed->get(), mark)},
        {"a closed stream that waits for another device", destroyed,
         calling(spoc_stream_wait_event, all.closed->get(), all.other_timed->get())},
        {"asking no event", null, calling(spoc_event_query, spoc_event{}, &out.flag)},
        {"no place for whether it is complete", null,
         calling(spoc_event_query, mark, no_place<std::int32_t>)},
        {"synchronising no event", null, calling(spoc_event_synchronize, spoc_event{})},
        {"no start", null, calling(spoc_event_elapsed, spoc_event{}, timed, &out.ms)},
        {"no stop", null, calling(spoc_event_elapsed, timed, spoc_event{}, &out.ms)},
        {"no place for the time", null,
         calling(spoc_event_elapsed, timed, timed, no_place<double>)},
        {"time between devices", wrong_device,
         calling(spoc_event_elapsed, timed, all.other_timed->get(), &out.ms)},
        {"time without timing", value, calling(spoc_event_elapsed, timed, mark, &out.ms)},
        {"time of what was never recorded", value,
         calling(spoc_event_elapsed, timed, timed, &out.ms)},
    };
}

}  // namespace spoc::test
