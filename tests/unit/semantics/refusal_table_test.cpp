// SPDX-License-Identifier: Apache-2.0

/// \file
/// Every mistake in arguments, function by function: it is told before any call of a plugin, and
/// leaves no trace. tests/integration/refusals_test.py looks that no function is missing here.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pages.hpp"
#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

constexpr auto longest = UINT64_MAX;

/// Two devices of one backend, one of another without optional entries, and objects in every
/// condition that a call can meet. Nothing runs before a test releases it.
struct objects {
    objects() {
        runtime.mock.set_devices(2);
        runtime.more_files = ':' + bare.file();
        first = runtime.start();
        make_here(device(first));
        make_elsewhere(device(runtime.device(1)), device(runtime.device(2)));
        make_vectors(device(first), device(runtime.device(1)));
        runtime.mock.hold();
        runtime.mock.on_wait(SPOC_MOCK_WAIT_FAIL);
        copy_to_device(*open, busy_pinned->elements(), *busy);
        in_flight->write_range(*open, 0, written);
    }
    objects(const objects&) = delete;
    objects& operator=(const objects&) = delete;
    ~objects() {
        runtime.mock.hold(false);
        runtime.mock.on_wait(SPOC_MOCK_WAIT_RUN);
        runtime.mock.release();
    }

    void make_here(const device& here) {
        open.emplace(here);
        closed.emplace(here);
        closed->close();
        untimed.emplace(here, SPOC_STREAM_UNTIMED);
        memory.emplace(here, 64);
        freed.emplace(here, 64);
        freed->free();
        busy.emplace(here, 64);
        mark.emplace(here);
        timed.emplace(here, true);
        busy_pinned.emplace(here, 64);
        registered.emplace(here, own.part(1, 1));
        read_only.emplace(here, std::span<const std::byte>(own.part(3, 1)));
    }
    void make_elsewhere(const device& second, const device& foreign) {
        other_stream.emplace(second);
        other_timed.emplace(second, true);
        foreign_stream.emplace(foreign);
        foreign_buffer.emplace(foreign, 64);
        foreign_mark.emplace(foreign);
    }

    void make_vectors(const device& here, const device& there) {
        for (auto* const one :
             {&at_host, &both, &stale_host, &stale_device, &writing, &in_flight}) {
            one->emplace(elements);
            (*one)->fill(1);
        }
        for (auto* const one : {&both, &stale_host, &stale_device, &in_flight}) {
            (*one)->to_device(here);
        }
        stale_host->write_range(0, written);
        stale_host->set_auto_sync(false);
        stale_device->fill(2);
        void* data = nullptr;
        REQUIRE(told(spoc_vector_begin_write, writing->get(), 0U, &data) == "ok");
        alone.emplace(here, elements);
        alone_freed.emplace(here, elements);
        alone_freed->free_all_buffers();
        elsewhere = there.get();
    }

    recording bare{"mockmin"};
    recorded_runtime runtime;
    pages own{4};
    spoc_device first = nullptr;
    std::optional<stream> open, closed, untimed, other_stream, foreign_stream;
    std::optional<buffer> memory, freed, busy, foreign_buffer;
    std::optional<event> mark, timed, other_timed, foreign_mark;
    std::optional<pinned_buffer<std::byte>> busy_pinned;
    std::optional<host_registration> registered, read_only;
    std::vector<std::int32_t> written = numbers(5);
    std::optional<vector<std::int32_t>> at_host, both, stale_host, stale_device, writing, in_flight;
    std::optional<device_vector<std::int32_t>> alone, alone_freed;
    spoc_device elsewhere = nullptr;
};

/// Places for answers, which a refused call leaves alone.
struct places {
    spoc_stream stream = nullptr;
    spoc_event event = nullptr;
    spoc_buffer buffer = nullptr;
    spoc_host_memory host = nullptr;
    spoc_device device = nullptr;
    spoc_vector vector = nullptr;
    const void* read = nullptr;
    void* written = nullptr;
    std::uint32_t link = 66;
    std::int32_t flag = 77;
    double ms = -5;

    bool operator==(const places&) const = default;
};

/// A wrong call and what it must come to.
struct mistake {
    std::string what;
    std::string wanted;
    std::function<std::string()> call;
};

using list = std::vector<mistake>;

constexpr const char* null = "invalid_argument null";
constexpr const char* value = "invalid_argument value";
constexpr const char* bounds = "invalid_argument bounds";
constexpr const char* length = "invalid_argument length";
constexpr const char* wrong_device = "invalid_argument device";
constexpr const char* destroyed = "invalid_argument destroyed";
constexpr const char* gone = "invalid_argument freed";
constexpr const char* busy = "invalid_argument busy";
constexpr const char* overlap = "invalid_argument overlap";
constexpr const char* location = "invalid_argument location";
constexpr const char* stale = "invalid_argument stale_host";
constexpr const char* on_device_only = "invalid_argument device_only";
constexpr const char* kind = "invalid_argument kind";

/// A call with all its arguments.
template <typename Function, typename... Arguments>
std::function<std::string()> calling(Function function, Arguments... arguments) {
    return [=] { return told(function, arguments...); };
}

template <typename Answer>
constexpr Answer* no_place = nullptr;
constexpr const spoc_stream_options* no_options = nullptr;
constexpr const spoc_owner* no_owner = nullptr;

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

list about_host_memory(const objects& all, places& out) {
    static spoc_host_memory_info unset{};
    static spoc_host_memory_info info{sizeof info, 0, nullptr, nullptr, 0};
    void* const fresh = all.own.part(0, 1).data();
    void* const live = all.own.part(1, 1).data();
    const auto registering = [&](spoc_device device, void* start, std::uint64_t bytes,
                                 std::uint32_t flags, spoc_host_memory* place) {
        return calling(spoc_host_memory_register, device, start, bytes, flags, no_owner, place);
    };
    return {
        {"memory of no device", null,
         calling(spoc_host_memory_allocate, spoc_device{}, 64UL, &out.host)},
        {"no place for memory", null,
         calling(spoc_host_memory_allocate, all.first, 64UL, no_place<spoc_host_memory>)},
        {"no bytes", length, calling(spoc_host_memory_allocate, all.first, 0UL, &out.host)},
        {"more bytes than there are", length,
         calling(spoc_host_memory_allocate, all.first, longest, &out.host)},
        {"registering with no device", null, registering(nullptr, fresh, page, 0, &out.host)},
        {"registering nothing", null, registering(all.first, nullptr, page, 0, &out.host)},
        {"no place for a registration", null, registering(all.first, fresh, page, 0, nullptr)},
        {"registering no bytes", length, registering(all.first, fresh, 0, 0, &out.host)},
        {"registering beyond the last byte", length,
         registering(all.first, fresh, longest, 0, &out.host)},
        {"a flag that is none", value, registering(all.first, fresh, page, 8, &out.host)},
        {"registering what is registered", overlap,
         registering(all.first, live, page, 0, &out.host)},
        {"registering it with another backend", overlap,
         registering(all.foreign_buffer->where().get(), live, page, 0, &out.host)},
        {"releasing nothing", null, calling(spoc_host_memory_release, spoc_host_memory{})},
        {"releasing what is in flight", busy,
         calling(spoc_host_memory_release, all.busy_pinned->get())},
        {"describing nothing", null, calling(spoc_host_memory_describe, spoc_host_memory{}, &info)},
        {"no place for a description", null,
         calling(spoc_host_memory_describe, all.registered->get(),
                 no_place<spoc_host_memory_info>)},
        {"a description without a size", value,
         calling(spoc_host_memory_describe, all.registered->get(), &unset)},
        {"asking no device", null, calling(spoc_host_memory_available, spoc_device{}, &out.flag)},
        {"no place for the answer", null,
         calling(spoc_host_memory_available, all.first, no_place<std::int32_t>)},
    };
}

/// Collects mistakes about copies, on a stream or without one.
struct copies {
    const objects& all;
    bool enqueued;
    list made{};
    spoc_stream on = all.open->get();  ///< named where `enqueued`
    spoc_buffer memory = all.memory->get();
    spoc_buffer freed = all.freed->get();
    std::byte* host = all.own.part(0, 1).data();

    void up(const std::string& what, const char* wanted, const void* source, std::uint64_t count,
            spoc_buffer target, std::uint64_t offset) {
        made.push_back({"up: " + what, wanted,
                        enqueued ? calling(spoc_enqueue_copy_to_device, on, source, count, target,
                                           offset, no_owner)
                                 : calling(spoc_copy_to_device, source, count, target, offset)});
    }
    void down(const std::string& what, const char* wanted, spoc_buffer source, std::uint64_t offset,
              void* target, std::uint64_t count) {
        made.push_back({"down: " + what, wanted,
                        enqueued ? calling(spoc_enqueue_copy_to_host, on, source, offset, target,
                                           count, no_owner)
                                 : calling(spoc_copy_to_host, source, offset, target, count)});
    }
    void across(const std::string& what, const char* wanted, spoc_buffer source, std::uint64_t from,
                spoc_buffer target, std::uint64_t to, std::uint64_t count) {
        made.push_back(
            {"across: " + what, wanted,
             enqueued ? calling(spoc_enqueue_copy_on_device, on, source, from, target, to, count)
                      : calling(spoc_copy_on_device, source, from, target, to, count)});
    }
    void fill(const std::string& what, const char* wanted, spoc_buffer target, std::uint64_t offset,
              std::uint64_t count, std::uint32_t size) {
        made.push_back({"fill: " + what, wanted,
                        enqueued ? calling(spoc_enqueue_fill, on, target, offset, count, 1U, size)
                                 : calling(spoc_fill, target, offset, count, 1U, size)});
    }
};

void add_host_copies(copies& to) {
    const spoc_buffer memory = to.memory;
    to.up("no source", null, nullptr, 1, memory, 0);
    to.up("no destination", null, to.host, 1, nullptr, 0);
    to.up("a freed destination", gone, to.host, 1, to.freed, 0);
    to.up("behind the end", bounds, to.host, 1, memory, 64);
    to.up("across the end", bounds, to.host, 2, memory, 63);
    to.up("an offset that overflows", bounds, to.host, 2, memory, longest);
    to.up("a length that overflows", bounds, to.host, longest, memory, 2);
    to.up("nothing, behind the end", bounds, to.host, 0, memory, 65);
    to.down("no destination", null, memory, 0, nullptr, 1);
    to.down("no source", null, nullptr, 0, to.host, 1);
    to.down("a freed source", gone, to.freed, 0, to.host, 1);
    to.down("across the end", bounds, memory, 1, to.host, 64);
    to.down("an offset that overflows", bounds, memory, longest, to.host, 2);
    std::byte* const read_only = to.all.own.part(3, 1).data();
    to.down("into read-only memory", value, memory, 0, read_only, 1);
    to.down("reaching into read-only memory", value, memory, 0, read_only - 1, 2);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that no object has
    void* const last = reinterpret_cast<void*>(longest - 3);
    to.down("beyond the last byte", bounds, memory, 0, last, 8);
}

void add_device_copies(copies& to) {
    const spoc_buffer memory = to.memory;
    to.across("no source", null, nullptr, 0, memory, 0, 1);
    to.across("no destination", null, memory, 0, nullptr, 0, 1);
    to.across("a freed source", gone, to.freed, 0, memory, 0, 1);
    to.across("a freed destination", gone, memory, 0, to.freed, 0, 1);
    to.across("behind the source", bounds, memory, 60, memory, 0, 5);
    to.across("behind the destination", bounds, memory, 0, memory, 60, 5);
    to.across("from another backend", wrong_device, to.all.foreign_buffer->get(), 0, memory, 0, 1);
    to.across("overlapping", overlap, memory, 0, memory, 31, 32);
    to.fill("no buffer", null, nullptr, 0, 4, 1);
    to.fill("a freed buffer", gone, to.freed, 0, 4, 1);
    to.fill("across the end", bounds, memory, 60, 8, 4);
    to.fill("a size that is none", value, memory, 0, 6, 3);
    to.fill("an offset between two patterns", length, memory, 1, 4, 2);
    to.fill("half a pattern", length, memory, 0, 3, 2);
}

/// Streams that no copy may name.
void add_streams(copies& to) {
    for (const auto& [stream, wanted] :
         {std::pair(spoc_stream{}, null), std::pair(to.all.closed->get(), destroyed),
          std::pair(to.all.other_stream->get(), wrong_device),
          std::pair(to.all.foreign_stream->get(), wrong_device)}) {
        to.on = stream;
        for (const std::uint64_t count : {0UL, 4UL}) {
            to.up("stream", wanted, to.host, count, to.memory, 0);
            to.down("stream", wanted, to.memory, 0, to.host, count);
            to.across("stream", wanted, to.memory, 0, to.memory, 32, count);
            to.fill("stream", wanted, to.memory, 0, count, 4);
        }
    }
}

list about_copies(const objects& all, bool enqueued) {
    copies made{all, enqueued};
    add_host_copies(made);
    add_device_copies(made);
    if (enqueued) {
        add_streams(made);
    }
    return made.made;
}

list about_buffers(const objects& all, places& out) {
    static spoc_stats no_size{};
    static spoc_buffer_info unset{};
    static spoc_buffer_info info{sizeof info, 0, nullptr, 0, 0, 0};
    return {
        {"no place for the accounts", null,
         calling(spoc_stats_get, all.first, no_place<spoc_stats>)},
        {"accounts without a size", value, calling(spoc_stats_get, all.first, &no_size)},
        {"no place for a buffer", null,
         calling(spoc_buffer_create, all.first, 64UL, no_place<spoc_buffer>)},
        {"describing no buffer", null, calling(spoc_buffer_describe, spoc_buffer{}, &info)},
        {"no place for a buffer's description", null,
         calling(spoc_buffer_describe, all.memory->get(), no_place<spoc_buffer_info>)},
        {"a buffer's description without a size", value,
         calling(spoc_buffer_describe, all.memory->get(), &unset)},
        {"a buffer on no device", null,
         calling(spoc_buffer_create, spoc_device{}, 64UL, &out.buffer)},
        {"freeing nothing", null, calling(spoc_buffer_free, spoc_buffer{})},
        {"freeing what is in flight", busy, calling(spoc_buffer_free, all.busy->get())},
    };
}

/* ---- Vectors ---- */

list about_making_vectors(const objects& all, places& out) {
    constexpr std::uint32_t ints = SPOC_KIND_INT32;
    const auto making = [&](std::uint32_t of, std::uint64_t size, std::uint64_t count,
                            spoc_vector* place) {
        return calling(spoc_vector_create, of, size, count, spoc_device{}, place);
    };
    const auto over = [&](std::uint32_t of, std::uint64_t size, std::uint64_t count, void* host,
                          spoc_vector* place) {
        return calling(spoc_vector_create_over, of, size, count, host, no_owner, place);
    };
    const auto alone = [&](spoc_device where, std::uint32_t of, std::uint64_t size,
                           std::uint64_t count, spoc_vector* place) {
        return calling(spoc_vector_create_device_only, where, of, size, count, place);
    };
    void* const host = all.own.part(0, 1).data();
    return {
        {"a kind that is none", kind, making(0, 4, 8, &out.vector)},
        {"a kind beyond the last", kind, making(9, 4, 8, &out.vector)},
        {"another size than the kind's", length, making(ints, 8, 8, &out.vector)},
        {"elements of no bytes", length, making(SPOC_KIND_RECORD, 0, 8, &out.vector)},
        {"more elements than there are bytes", length, making(ints, 4, longest, &out.vector)},
        {"a size that overflows", length, making(ints, 4, longest / 4 + 2, &out.vector)},
        {"no place for a vector", null, making(ints, 4, 8, nullptr)},
        {"over nothing", null, over(ints, 4, 8, nullptr, &out.vector)},
        {"over memory, no kind", kind, over(0, 4, 8, host, &out.vector)},
        {"over memory, another size", length, over(ints, 2, 8, host, &out.vector)},
        {"over memory, a size that overflows", length, over(ints, 4, longest, host, &out.vector)},
        {"over memory, no place", null, over(ints, 4, 8, host, nullptr)},
        {"alone on no device", null, alone(nullptr, ints, 4, 8, &out.vector)},
        {"alone, no place", null, alone(all.first, ints, 4, 8, nullptr)},
        {"alone, no elements", length, alone(all.first, ints, 4, 0, &out.vector)},
        {"alone, an element too many", length,
         alone(all.first, SPOC_KIND_UINT8, 1, SPOC_MOST_DEVICE_ELEMENTS + 1, &out.vector)},
        {"alone, records", kind, alone(all.first, SPOC_KIND_RECORD, 12, 8, &out.vector)},
        {"alone, another size", length, alone(all.first, ints, 1, 8, &out.vector)},
    };
}

list about_vectors(const objects& all, places& out) {
    static spoc_vector_info unset{};
    static spoc_vector_info info{sizeof info, 0, 0, 0, 0, 0, 0, nullptr, 0, 0, 0, 0};
    const spoc_vector v = all.both->get();
    const spoc_vector writing = all.writing->get();
    const spoc_vector alone = all.alone->get();
    const spoc_vector gone_one = all.alone_freed->get();
    return {
        {"describing no vector", null, calling(spoc_vector_describe, spoc_vector{}, &info)},
        {"no place for a vector's description", null,
         calling(spoc_vector_describe, v, no_place<spoc_vector_info>)},
        {"a vector's description without a size", value, calling(spoc_vector_describe, v, &unset)},
        {"the link of no vector", null,
         calling(spoc_vector_link, spoc_vector{}, all.first, &out.link)},
        {"the link on no device", null, calling(spoc_vector_link, v, spoc_device{}, &out.link)},
        {"no place for a link", null,
         calling(spoc_vector_link, v, all.first, no_place<std::uint32_t>)},
        {"the switch of no vector", null, calling(spoc_vector_set_auto_sync, spoc_vector{}, 1)},
        {"reading no vector", null, calling(spoc_vector_read, spoc_vector{}, &out.read)},
        {"no place for what is read", null, calling(spoc_vector_read, v, no_place<const void*>)},
        {"reading what the host writes", busy, calling(spoc_vector_read, writing, &out.read)},
        {"reading what the host has not", on_device_only,
         calling(spoc_vector_read, alone, &out.read)},
        {"reading an old copy", stale, calling(spoc_vector_read, all.stale_host->get(), &out.read)},
        {"writing no vector", null,
         calling(spoc_vector_begin_write, spoc_vector{}, 0U, &out.written)},
        {"no place for what is written", null,
         calling(spoc_vector_begin_write, v, 0U, no_place<void*>)},
        {"a flag of writing that is none", value,
         calling(spoc_vector_begin_write, v, 2U, &out.written)},
        {"writing twice", busy, calling(spoc_vector_begin_write, writing, 0U, &out.written)},
        {"writing all twice", busy,
         calling(spoc_vector_begin_write, writing, SPOC_WRITE_ALL, &out.written)},
        {"writing what the host has not", on_device_only,
         calling(spoc_vector_begin_write, alone, SPOC_WRITE_ALL, &out.written)},
        {"writing an old copy", stale,
         calling(spoc_vector_begin_write, all.stale_host->get(), 0U, &out.written)},
        {"ending to write no vector", null, calling(spoc_vector_end_write, spoc_vector{})},
        {"ending what was not begun", value, calling(spoc_vector_end_write, v)},
        {"the storage of no vector", null,
         calling(spoc_vector_host_unsynced, spoc_vector{}, &out.written)},
        {"no place for the storage", null, calling(spoc_vector_host_unsynced, v, no_place<void*>)},
        {"a storage that is not there", on_device_only,
         calling(spoc_vector_host_unsynced, alone, &out.written)},
        {"moving no vector", null, calling(spoc_vector_to_device, spoc_vector{}, all.first)},
        {"moving to no device", null, calling(spoc_vector_to_device, v, spoc_device{})},
        {"moving what the host writes", busy, calling(spoc_vector_to_device, writing, all.first)},
        {"moving to another device", on_device_only,
         calling(spoc_vector_to_device, alone, all.elsewhere)},
        {"moving what was freed", gone, calling(spoc_vector_to_device, gone_one, all.first)},
        {"bringing no vector", null, calling(spoc_vector_to_host, spoc_vector{}, 0)},
        {"bringing where no host is", on_device_only, calling(spoc_vector_to_host, alone, 1)},
        {"bringing what the host writes", busy, calling(spoc_vector_to_host, writing, 1)},
        {"synchronising no vector", null, calling(spoc_vector_sync, spoc_vector{})},
        {"synchronising where no host is", on_device_only, calling(spoc_vector_sync, alone)},
        {"synchronising what the host writes", busy, calling(spoc_vector_sync, writing)},
        {"freeing of no vector", null, calling(spoc_vector_free_buffer, spoc_vector{}, all.first)},
        {"freeing on no device", null, calling(spoc_vector_free_buffer, v, spoc_device{})},
        {"freeing a vector in flight", busy,
         calling(spoc_vector_free_buffer, all.in_flight->get(), all.first)},
        {"freeing what the host writes", busy,
         calling(spoc_vector_free_buffer, writing, all.first)},
        {"freeing all of no vector", null, calling(spoc_vector_free_all_buffers, spoc_vector{})},
        {"freeing all of one in flight", busy,
         calling(spoc_vector_free_all_buffers, all.in_flight->get())},
        {"freeing all that the host writes", busy, calling(spoc_vector_free_all_buffers, writing)},
    };
}

list about_views(const objects& all, places& out) {
    const spoc_vector none{};
    const spoc_vector v = all.both->get();
    const spoc_vector writing = all.writing->get();
    const spoc_vector alone = all.alone->get();
    const auto view = [&](spoc_vector of, std::uint64_t first, std::uint64_t count,
                          spoc_vector* place) {
        return calling(spoc_vector_view, of, first, count, spoc_device{}, place);
    };
    const auto blit = [](spoc_vector from, std::uint64_t first, spoc_vector to,
                         std::uint64_t to_first, std::uint64_t count) {
        return calling(spoc_vector_blit, from, first, to, to_first, count);
    };
    return {
        {"a view of no vector", null, view(none, 0, 1, &out.vector)},
        {"no place for a view", null, view(v, 0, 1, nullptr)},
        {"a view beyond the end", bounds, view(v, 0, longest, &out.vector)},
        {"a view whose end overflows", bounds, view(v, longest, 2, &out.vector)},
        {"a view of what the host has not", on_device_only, view(alone, 0, 1, &out.vector)},
        {"a view of what the host writes", busy, view(writing, 0, 1, &out.vector)},
        {"gathering no vector", null, calling(spoc_vector_gather, none)},
        {"copying from no vector", null, blit(none, 0, v, 0, 1)},
        {"copying to no vector", null, blit(v, 0, none, 0, 1)},
        {"copying from beyond the end", bounds, blit(v, longest, v, 0, 2)},
        {"copying to beyond the end", bounds, blit(v, 0, v, longest, 2)},
        {"copying from where no host is", on_device_only, blit(alone, 0, v, 0, 1)},
        {"copying to where no host is", on_device_only, blit(v, 0, alone, 0, 1)},
        {"a copy of no vector", null, calling(spoc_vector_copy, none, &out.vector)},
        {"no place for a copy", null, calling(spoc_vector_copy, v, no_place<spoc_vector>)},
        {"a copy where no host is", on_device_only, calling(spoc_vector_copy, alone, &out.vector)},
    };
}

list about_shared_memory(const objects& all, places& out) {
    const spoc_vector none{};
    constexpr std::uint32_t ints = SPOC_KIND_INT32;
    const spoc_device nowhere{};
    const spoc_vector v = all.both->get();
    void* const host = all.own.part(0, 1).data();
    const auto over = [](spoc_device where, std::uint32_t of, std::uint64_t size,
                         std::uint64_t count, void* memory, spoc_vector* place) {
        return calling(spoc_vector_create_host_pointer, where, of, size, count, memory, no_owner,
                       place);
    };
    const auto unified = [](spoc_device where, std::uint32_t of, std::uint64_t count,
                            std::uint32_t flags, spoc_vector* place) {
        return calling(spoc_vector_create_unified, where, of, std::uint64_t{4}, count, flags,
                       place);
    };
    return {
        {"over memory on no device", null, over(nowhere, ints, 4, 8, host, &out.vector)},
        {"over no memory on a device", null, over(all.first, ints, 4, 8, nullptr, &out.vector)},
        {"no place for one over memory", null, over(all.first, ints, 4, 8, host, nullptr)},
        {"over memory on a device, no kind", kind, over(all.first, 0, 4, 8, host, &out.vector)},
        {"over memory on a device, too long", length,
         over(all.first, ints, 4, longest, host, &out.vector)},
        {"attaching to no vector", null, calling(spoc_vector_attach_host_pointer, none, all.first)},
        {"attaching on no device", null, calling(spoc_vector_attach_host_pointer, v, nowhere)},
        {"attaching where no host is", on_device_only,
         calling(spoc_vector_attach_host_pointer, all.alone->get(), all.elsewhere)},
        {"acquiring of no vector", null,
         calling(spoc_vector_acquire_device_writes, none, all.first)},
        {"acquiring on no device", null, calling(spoc_vector_acquire_device_writes, v, nowhere)},
        {"acquiring what is separate", "invalid_argument link",
         calling(spoc_vector_acquire_device_writes, v, all.first)},
        {"publishing of no vector", null,
         calling(spoc_vector_publish_host_writes, none, all.first)},
        {"publishing on no device", null, calling(spoc_vector_publish_host_writes, v, nowhere)},
        {"publishing what is separate", "invalid_argument link",
         calling(spoc_vector_publish_host_writes, v, all.first)},
        {"unified memory of no device", null, calling(spoc_unified_available, nowhere, &out.flag)},
        {"no place for whether it is there", null,
         calling(spoc_unified_available, all.first, no_place<std::int32_t>)},
        {"a unified vector on no device", null, unified(nowhere, ints, 8, 0, &out.vector)},
        {"no place for a unified vector", null, unified(all.first, ints, 8, 0, nullptr)},
        {"a unified vector of no kind", kind, unified(all.first, 0, 8, 0, &out.vector)},
        {"a unified vector of no elements", length, unified(all.first, ints, 0, 0, &out.vector)},
        {"a unified vector with a flag that is none", value,
         unified(all.first, ints, 8, 4, &out.vector)},
    };
}

/// Ranged copies of one direction.
struct ranges {
    const objects& all;
    bool up;
    list made{};

    void add(const std::string& what, const char* wanted, spoc_vector v, std::uint64_t offset,
             void* host, std::uint64_t count, spoc_stream on = nullptr) {
        const void* const source = host;
        made.push_back(
            {(up ? "range up: " : "range down: ") + what, wanted,
             up ? calling(spoc_vector_write_range, v, offset, source, count, on, no_owner)
                : calling(spoc_vector_read_range, v, offset, host, count, on, no_owner)});
    }
};

list about_ranges(const objects& all, bool up) {
    ranges to{all, up};
    const spoc_vector v = all.both->get();
    void* const host = all.own.part(0, 1).data();
    to.add("no vector", null, nullptr, 0, host, 4);
    to.add("no host memory", null, v, 0, nullptr, 4);
    to.add("behind the end", bounds, v, 32, host, 1);
    to.add("across the end", bounds, v, 31, host, 2);
    to.add("an offset that overflows", bounds, v, longest, host, 2);
    to.add("a length that overflows", bounds, v, 2, host, longest);
    to.add("nothing, behind the end", bounds, v, 33, host, 0);
    to.add("no device", location, all.at_host->get(), 0, host, 4);
    to.add("an old copy", location, all.stale_device->get(), 0, host, 4);
    to.add("an old copy, nothing", location, all.stale_device->get(), 0, host, 0);
    to.add("a freed vector", gone, all.alone_freed->get(), 0, host, 4);
    to.add("nothing of a freed vector", gone, all.alone_freed->get(), 0, host, 0);
    to.add("what the host writes", busy, all.writing->get(), 0, host, 4);
    for (const std::uint64_t count : {0UL, 4UL}) {
        to.add("a closed stream", destroyed, v, 0, host, count, all.closed->get());
        to.add("a stream of another device", wrong_device, v, 0, host, count,
               all.other_stream->get());
        to.add("a stream of another backend", wrong_device, v, 0, host, count,
               all.foreign_stream->get());
    }
    if (!up) {
        to.add("into read-only memory", value, v, 0, all.own.part(3, 1).data(), 4);
    }
    return to.made;
}

/// Small writes whose source is the caller's again at once.
list about_stage(const objects& all) {
    const spoc_vector v = all.both->get();
    const spoc_buffer memory = all.memory->get();
    const void* const host = all.own.part(0, 1).data();
    const void* const nothing = nullptr;
    constexpr spoc_stream none = nullptr;
    const auto staging = [](spoc_vector into, std::uint64_t offset, const void* source,
                            std::uint64_t count, spoc_stream on) {
        return calling(spoc_vector_stage, into, offset, source, count, on);
    };
    const auto enqueuing = [](spoc_stream on, const void* source, std::uint64_t count,
                              spoc_buffer into, std::uint64_t offset) {
        return calling(spoc_enqueue_staged, on, source, count, into, offset);
    };
    return {
        {"staging into no vector", null, staging(nullptr, 0, host, 4, none)},
        {"staging nothing", null, staging(v, 0, nothing, 4, none)},
        {"staging behind the end", bounds, staging(v, 32, host, 1, none)},
        {"staging at an offset that overflows", bounds, staging(v, longest, host, 2, none)},
        {"staging into an old copy", location, staging(all.stale_device->get(), 0, host, 4, none)},
        {"staging where no device is named", location,
         staging(all.at_host->get(), 0, host, 4, none)},
        {"staging into a freed vector", gone, staging(all.alone_freed->get(), 0, host, 4, none)},
        {"staging into what the host writes", busy, staging(all.writing->get(), 0, host, 4, none)},
        {"staging on a closed stream", destroyed, staging(v, 0, host, 4, all.closed->get())},
        {"staging on another device", wrong_device,
         staging(v, 0, host, 4, all.other_stream->get())},
        {"enqueuing on no stream", null, enqueuing(none, host, 4, memory, 0)},
        {"enqueuing nothing", null, enqueuing(all.open->get(), nothing, 4, memory, 0)},
        {"enqueuing to no buffer", null, enqueuing(all.open->get(), host, 4, nullptr, 0)},
        {"enqueuing to a freed one", gone,
         enqueuing(all.open->get(), host, 4, all.freed->get(), 0)},
        {"enqueuing across the end", bounds, enqueuing(all.open->get(), host, 4, memory, 61)},
        {"enqueuing on a closed stream", destroyed,
         enqueuing(all.closed->get(), host, 4, memory, 0)},
        {"enqueuing on another device", wrong_device,
         enqueuing(all.other_stream->get(), host, 4, memory, 0)},
    };
}

}  // namespace

TEST_CASE("A mistake is told before any call of a plugin, and leaves no trace",
          "[R-002][R-003][R-004][R-221][R-401][R-403][R-506][B67][B68]") {
    objects all;
    places out;
    list mistakes;
    for (const list& some :
         {about_streams(all, out), about_events(all, out), about_host_memory(all, out),
          about_copies(all, false), about_copies(all, true), about_buffers(all, out),
          about_making_vectors(all, out), about_vectors(all, out), about_views(all, out),
          about_shared_memory(all, out), about_ranges(all, true), about_ranges(all, false),
          about_stage(all)}) {
        mistakes.insert(mistakes.end(), some.begin(), some.end());
    }
    all.runtime.mock.forget();
    all.bare.forget();
    for (const mistake& one : mistakes) {
        CAPTURE(one.what);
        CHECK(one.call() == one.wanted);
        CHECK(all.runtime.mock.records().empty());
        CHECK(all.bare.records().empty());
        CHECK(out == places{});
        all.runtime.mock.forget();
    }
    CHECK(mistakes.size() > 230);
    REQUIRE(told(spoc_vector_end_write, all.writing->get()) == "ok");
}

}  // namespace spoc::test
