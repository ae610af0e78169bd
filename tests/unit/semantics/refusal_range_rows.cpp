// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of mistakes: memory that is shared, ranges of vectors, and staged writes.

#include <cstdint>
#include <string>

#include "refusal_table.hpp"

namespace spoc::test {
namespace {

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

}  // namespace

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

}  // namespace spoc::test
