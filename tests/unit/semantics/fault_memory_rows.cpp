// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of faults: streams, events, buffers, page-locked memory and copies.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fault_table.hpp"

namespace spoc::test {
namespace {

std::span<std::byte> page_of(world& w) { return w.own.part(0, 1).first(64); }

/// Host copies in each direction, with and without a stream.
rows host_copies(const std::string& how, leaves left, std::uint64_t pageable_max) {
    return {
        {"enqueue_copy_to_device" + how,
         [](world& w) { copy_to_device(*w.on, page_of(w), *w.target, 0, w.lent); }, left,
         pageable_max},
        {"enqueue_copy_to_host" + how,
         [](world& w) { copy_to_host(*w.on, *w.target, 0, page_of(w), w.lent); }, left,
         pageable_max},
        {"enqueue_staged" + how, [](world& w) { stage(*w.on, page_of(w), *w.target); }, left,
         pageable_max},
        {"vector_stage" + how, [](world& w) { w.stale_host->stage(0, numbers(3)); }, left,
         pageable_max},
        {"vector_stage on a stream" + how, [](world& w) { w.alone->stage(*w.on, 0, numbers(7)); },
         left, pageable_max},
        {"copy_to_device" + how, [](world& w) { copy_to_device(page_of(w), *w.target); }, left,
         pageable_max},
        {"copy_to_host" + how, [](world& w) { copy_to_host(*w.target, 0, page_of(w)); }, left,
         pageable_max},
        {"copy_to_device" + how + ", across a border",
         [](world& w) { copy_to_device(w.own.part(0, 2).subspan(page - 32, 64), *w.target); }, left,
         pageable_max},
    };
}

}  // namespace

rows about_streams() {
    return {
        {"stream_create", [](world& w) { w.made_stream.emplace(*w.first); }},
        {"stream_synchronize", [](world& w) { w.on->synchronize(); }},
        {"stream_query", [](world& w) { static_cast<void>(w.on->idle()); }},
        {"stream_flush", [](world& w) { w.on->flush(); }},
        {"stream_close", [](world& w) { w.closing->close(); }, leaves::memory_less},
        {"device_synchronize", [](world& w) { synchronize(*w.first); }, leaves::nothing,
         SPOC_BE_NO_LIMIT, true},
        {"event_create", [](world& w) { w.made_event.emplace(*w.first); }},
        {"event_record", [](world& w) { w.mark->record(*w.idle); }},
        {"stream_wait_event", [](world& w) { wait(*w.idle, *w.mark); }},
        {"stream_wait_event across devices", [](world& w) { wait(*w.stream_there, *w.mark); }},
        {"event_query", [](world& w) { static_cast<void>(w.mark->complete()); }},
        {"event_synchronize", [](world& w) { w.mark->synchronize(); }},
        {"event_elapsed", [](world& w) { static_cast<void>(elapsed(*w.start, *w.stop)); }},
        {"event_destroy", [](world& w) { w.start.reset(); }, leaves::told_nobody},
        {"stream_destroy", [](world& w) { w.closing.reset(); }, leaves::told_nobody},
        {"device_health",
         [](world& w) {
             std::uint32_t health = 0;
             detail::call(spoc_device_health, w.first->get(), &health);
         }},
        {"device_memory",
         [](world& w) {
             spoc_be_memory_info info{};
             info.size = sizeof info;
             detail::call(spoc_device_memory, w.first->get(), &info);
         }},
    };
}

rows about_memory() {
    return {
        {"buffer_create", [](world& w) { w.made_buffer.emplace(*w.first, 64); }},
        {"buffer_free", [](world& w) { w.source->free(); }, leaves::memory_less},
        {"buffer_destroy", [](world& w) { w.spare_buffer.reset(); }, leaves::told_nobody},
        {"host_memory_allocate", [](world& w) { w.made_memory.emplace(*w.first, 64); }},
        {"host_memory_register",
         [](world& w) { w.made_registration.emplace(*w.first, w.own.part(3, 1), w.lent); }},
        {"host_memory_release, allocated", [](world& w) { w.spare->release(); },
         leaves::memory_less},
        {"host_memory_release, registered", [](world& w) { w.registered->release(); }},
        {"host_memory_destroy", [](world& w) { w.spare.reset(); }, leaves::told_nobody},
        {"host_memory_available", [](world& w) { static_cast<void>(has_pinned_memory(*w.first)); }},
    };
}

rows about_copies() {
    return {
        {"enqueue_copy_on_device",
         [](world& w) { copy_on_device(*w.on, *w.source, 0, *w.target, 0, 64); }},
        {"enqueue_copy_on_device between two",
         [](world& w) { copy_on_device(*w.stream_there, *w.source, 0, *w.there, 0, 64); }},
        {"enqueue_fill", [](world& w) { fill(*w.on, *w.target, 0, 64, std::uint8_t{1}); }},
        {"copy_on_device", [](world& w) { copy_on_device(*w.source, 0, *w.target, 0, 64); }},
        {"copy_on_device between two",
         [](world& w) { copy_on_device(*w.source, 0, *w.there, 0, 64); }},
        {"fill", [](world& w) { fill(*w.target, 0, 64, std::uint8_t{1}); }},
    };
}

rows about_host_copies() {
    rows all = host_copies("", leaves::nothing, SPOC_BE_NO_LIMIT);
    const rows staged = host_copies(", staged", leaves::slots, 0);
    all.insert(all.end(), staged.begin(), staged.end());
    return all;
}

}  // namespace spoc::test
