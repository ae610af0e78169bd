// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of mistakes: page-locked memory, buffers and copies.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "refusal_table.hpp"

namespace spoc::test {
namespace {

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

}  // namespace

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
        {"releasing what a vector lies over", busy,
         calling(spoc_host_memory_release, all.covered_pinned->get())},
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

}  // namespace spoc::test
