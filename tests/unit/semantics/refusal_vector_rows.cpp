// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of mistakes: vectors and views.

#include <cstdint>

#include "refusal_table.hpp"

namespace spoc::test {

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

}  // namespace spoc::test
