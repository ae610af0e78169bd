// SPDX-License-Identifier: Apache-2.0

/// \file
/// Every call that reaches a plugin, with each of its calls there failing in turn. A new function
/// is a row.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fault_world.hpp"

namespace spoc::test {
namespace {

/// What may be different after a call that failed.
enum class leaves {
    nothing,
    memory_less,  ///< what ends an object ends it also when it fails [R-218][R-505]
    bytes,        ///< its destination is undefined
    slots,  ///< the library keeps staging memory or its ring, and has another way when that fails
};

struct row {
    std::string name;
    std::function<void(world&)> call;
    leaves left = leaves::nothing;
    std::uint64_t pageable_max = SPOC_BE_NO_LIMIT;
    bool settles = false;  ///< it waits for the work that uses `pending`
};
using rows = std::vector<row>;

std::vector<std::int32_t>& scratch() {
    static std::vector<std::int32_t> numbers_read(elements);
    return numbers_read;
}

std::span<std::byte> page_of(world& w) { return w.own.part(0, 1).first(64); }

rows about_streams() {
    return {
        {"stream_create", [](world& w) { w.made_stream.emplace(*w.first); }},
        {"stream_default", [](world& w) { w.made_stream.emplace(stream::default_of(*w.first)); }},
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
    };
}

rows about_memory() {
    return {
        {"buffer_create", [](world& w) { w.made_buffer.emplace(*w.first, 64); }},
        {"buffer_free", [](world& w) { w.source->free(); }, leaves::memory_less},
        {"host_memory_allocate", [](world& w) { w.made_memory.emplace(*w.first, 64); }},
        {"host_memory_register",
         [](world& w) { w.made_registration.emplace(*w.first, w.own.part(3, 1), w.lent); }},
        {"host_memory_release, allocated", [](world& w) { w.spare->release(); },
         leaves::memory_less},
        {"host_memory_release, registered", [](world& w) { w.registered->release(); }},
        {"host_memory_available", [](world& w) { static_cast<void>(has_pinned_memory(*w.first)); }},
    };
}

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

rows whole_vectors(const std::string& how, leaves left, std::uint64_t pageable_max) {
    return {
        {"vector_to_device, first" + how, [](world& w) { w.at_host->to_device(*w.first); }, left,
         pageable_max},
        {"vector_to_device, again" + how, [](world& w) { w.stale_device->to_device(*w.first); },
         left, pageable_max},
        {"vector_to_device, elsewhere" + how, [](world& w) { w.stale_host->to_device(*w.second); },
         left, pageable_max},
        {"vector_to_device, while work uses it" + how,
         [](world& w) { w.pending->to_device(*w.second); }, left, pageable_max, true},
        {"vector_to_host" + how, [](world& w) { w.stale_host->to_host(); }, left, pageable_max},
        {"vector_to_host, forced" + how, [](world& w) { w.both->to_host(true); }, left,
         pageable_max},
        {"vector_sync" + how, [](world& w) { w.stale_device->sync(); }, left, pageable_max},
        {"vector_read" + how, [](world& w) { static_cast<void>(w.stale_host->read()); }, left,
         pageable_max},
    };
}

rows about_vectors() {
    return {
        {"vector_create_device_only", [](world& w) { w.made_vector.emplace(*w.first, elements); }},
        {"vector_to_device, in host memory", [](world& w) { w.both->to_device(*w.host); }},
        {"vector_begin_write", [](world& w) { static_cast<void>(w.stale_host->write()); }},
        {"vector_free_buffer", [](world& w) { w.both->free_buffer(*w.first); },
         leaves::memory_less},
        {"vector_free_buffer, saved", [](world& w) { w.stale_host->free_buffer(*w.first); },
         leaves::memory_less},
        {"vector_free_buffer, alone", [](world& w) { w.alone->free_buffer(*w.first); },
         leaves::memory_less},
        {"vector_free_all_buffers", [](world& w) { w.spread->free_all_buffers(); },
         leaves::memory_less},
        {"vector_write_range", [](world& w) { w.stale_host->write_range(0, numbers(3)); }},
        {"vector_write_range, first", [](world& w) { w.both->write_range(0, numbers(2)); }},
        {"vector_write_range on a stream",
         [](world& w) { w.both->write_range(*w.on, 0, w.nine, w.lent); }, leaves::bytes},
        {"vector_read_range", [](world& w) { w.alone->read_range(0, scratch()); }},
        {"vector_read_range on a stream",
         [](world& w) { w.alone->read_range(*w.on, 0, scratch(), w.lent); }},
    };
}

rows all_rows() {
    rows all;
    for (const rows& some : {about_streams(), about_memory(), about_copies(),
                             host_copies("", leaves::nothing, SPOC_BE_NO_LIMIT),
                             host_copies(", staged", leaves::slots, 0),
                             whole_vectors("", leaves::nothing, SPOC_BE_NO_LIMIT),
                             whole_vectors(", staged", leaves::slots, 0), about_vectors()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

/// The entries that a row calls, in order. Further ranges of a copy are part of its call.
std::vector<std::uint32_t> entries_of(recorded_runtime& runtime, const row& one) {
    std::vector<std::uint32_t> found;
    {
        world fresh(runtime, {one.pageable_max});
        one.call(fresh);
        for (const spoc_mock_call& call : fresh.runtime.mock.records()) {
            if (call.range == 0) {
                found.push_back(call.entry);
            }
        }
    }
    runtime.stop();
    return found;
}

bool ends_something(std::uint32_t entry) {
    return entry == entry_number("buffer_destroy") || entry == entry_number("pinned_free") ||
           entry == entry_number("stream_destroy");
}

/// Whether a call may succeed although one of the plugin's calls in it failed.
bool may_succeed(const row& one, std::uint32_t entry, std::int32_t status) {
    // asked once more.
    const bool again = status == SPOC_BE_OUT_OF_MEMORY && entry == entry_number("buffer_create");
    // What gives memory back that nobody uses; what another way is there for.
    return again || one.name == "host_memory_available" || one.left == leaves::slots;
}

/// Slots and their events are the library's own.
std::string without_slots(snapshot seen) {
    seen.alive[SPOC_MOCK_HOSTMEMS] = 0;
    seen.alive[SPOC_MOCK_EVENTS] = 0;
    return seen.text();
}

/// That every vector still has what it had, wherever that is.
void check_contents(world& all, leaves left) {
    all.runtime.mock.hold(false);
    all.runtime.mock.release();
    const std::pair<vector<std::int32_t>*, std::int32_t> wanted[] = {
        {&*all.at_host, 1},      {&*all.both, 2},   {&*all.stale_host, 3},
        {&*all.stale_device, 4}, {&*all.spread, 5}, {&*all.in_host_memory, 6}};
    for (const auto& [v, seed] : wanted) {
        CAPTURE(seed);
        CHECK((left == leaves::bytes || copy_of(v->read()) == numbers(seed)));
    }
    if (all.alone->info().freed == 0) {
        std::vector<std::int32_t> got(elements);
        all.alone->read_range(0, got);
        CHECK(got == numbers(7));
    }
}

/// Fails call number `index` of a row.
void try_fault(recorded_runtime& runtime, const row& one, const std::vector<std::uint32_t>& entries,
               std::size_t index, std::int32_t status) {
    {
        world fresh(runtime, {one.pageable_max});
        const auto end = entries.begin() + static_cast<std::ptrdiff_t>(index);
        spoc_mock_fault fault{};
        fault.size = sizeof fault;
        fault.entry = entries[index];
        fault.status = status;
        fault.skip = static_cast<std::uint64_t>(std::count(entries.begin(), end, entries[index]));
        const snapshot before(fresh);
        fresh.runtime.mock.fail(fault);
        const std::string answer = thrown([&] { one.call(fresh); });
        fresh.runtime.mock.gate.forget_faults();
        const snapshot after(fresh);
        if (answer == "ok") {
            CHECK(may_succeed(one, entries[index], status));
        } else {
            CHECK(answer.substr(0, 13) == "backend_error");
            CHECK((status != SPOC_BE_DEVICE_LOST || answer == "backend_error device_lost"));
            if (one.left == leaves::slots) {
                CHECK(without_slots(after) == without_slots(before));
            } else if (one.left != leaves::memory_less ||
                       (index == 0 && !ends_something(entries[index]))) {
                CHECK(after.text() == before.text());
            }
            // Unless a wait that went well proved that complete before the call failed.
            const bool busy =
                told(spoc_vector_free_all_buffers, fresh.pending->get()) == "invalid_argument busy";
            CHECK((busy || one.settles));
            // What was pending may have run meanwhile.
            CHECK(after.pending <= before.pending);
        }
        if (status != SPOC_BE_DEVICE_LOST) {
            // It works when it is tried again.
            CHECK(thrown([&] { one.call(fresh); }) == "ok");
            check_contents(fresh, one.left);
        }
    }
    runtime.stop();
}

}  // namespace

TEST_CASE("A call of a plugin that fails leaves everything as it was",
          "[R-003][R-512][R-401][R-214][R-217][H-41]") {
    recorded_runtime runtime;
    // What a shutdown says of a lost device is no news here.
    runtime.variables.set("SPOC_LOG", "off");
    std::size_t faults = 0;
    for (const row& one : all_rows()) {
        const std::vector<std::uint32_t> entries = entries_of(runtime, one);
        for (std::size_t index = 0; index < entries.size(); ++index) {
            for (const std::int32_t status :
                 {SPOC_BE_DRIVER, SPOC_BE_OUT_OF_MEMORY, SPOC_BE_DEVICE_LOST}) {
                CAPTURE(one.name, index, entries[index], status);
                try_fault(runtime, one, entries, index, status);
                ++faults;
            }
        }
    }
    CHECK(faults > 250);
}

}  // namespace spoc::test
