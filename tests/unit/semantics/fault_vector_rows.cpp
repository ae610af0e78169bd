// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of faults: vectors, views, records and memory that is shared.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fault_table.hpp"

namespace spoc::test {
namespace {

std::vector<std::int32_t>& scratch() {
    static std::vector<std::int32_t> numbers_read(elements);
    return numbers_read;
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

}  // namespace

rows about_vectors() {
    rows all = {
        {"vector_create_device_only", [](world& w) { w.made_vector.emplace(*w.first, elements); }},
        {"vector_to_device, in host memory", [](world& w) { w.both->to_device(*w.host); }},
        {"vector_begin_write", [](world& w) { static_cast<void>(w.stale_host->write()); }},
        {"vector_copy", [](world& w) { w.made_copy.emplace(w.stale_host->copy()); }},
        {"vector_destroy", [](world& w) { w.ending.reset(); }, leaves::told_nobody},
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
    for (const rows& some : {whole_vectors("", leaves::nothing, SPOC_BE_NO_LIMIT),
                             whole_vectors(", staged", leaves::slots, 0)}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

/// Views, copies between vectors, and what is made of several vectors.
rows about_relatives() {
    return {
        {"vector_view",
         [](world& w) {
             w.made_parts.clear();
             w.made_parts.push_back(w.stale_host->view(0, 4));
         }},
        {"vector_view, partition",
         [](world& w) {
             const device all[] = {*w.first, *w.second};
             w.made_parts.clear();
             w.made_parts = partition(*w.stale_host, std::span<const device>(all));
         }},
        {"vector_gather", [](world& w) { w.whole->gather(); }},
        {"vector_to_host, a view", [](world& w) { w.part->to_host(); }},
        {"vector_to_device, a view", [](world& w) { w.rest->to_device(*w.second); }},
        {"vector_to_device, a view elsewhere", [](world& w) { w.part->to_device(*w.second); }},
        {"vector_blit", [](world& w) { blit(*w.stale_host, 2, *w.ending, 0, 4); }},
        {"vector_blit, both newer on a device",
         [](world& w) { blit(*w.stale_host, 0, *w.unattached, 4, 2); }, leaves::part},
        {"vector_to_device, fields of records", [](world& w) { w.records->use_leaves(*w.second); },
         leaves::part},
        {"vector_to_device, records", [](world& w) { w.records->use_packed(*w.second); },
         leaves::part},
        {"vector_read, records", [](world& w) { static_cast<void>(w.records->read()); },
         leaves::part},
        {"vector_free_all_buffers, records", [](world& w) { w.records->free_all_buffers(); },
         leaves::part},
    };
}

/// Memory that the host and the device share.
rows about_shared_memory() {
    return {
        {"vector_create_host_pointer",
         [](world& w) {
             w.made_in_place.emplace(
                 host_ptr_buffer<std::int32_t>::of_span(*w.shared, w.integers(5), w.lent));
         }},
        {"vector_attach_host_pointer",
         [](world& w) {
             // Asked once more, the plugin may have allocated after all.
             if (!w.unattached->has_buffer(*w.shared)) {
                 host_ptr_buffer<std::int32_t>::attach(*w.unattached, *w.shared);
             }
         }},
        {"vector_acquire_device_writes", [](world& w) { w.in_place->acquire_device_writes(); }},
        {"vector_publish_host_writes",
         [](world& w) {
             w.in_place->acquire_device_writes();
             w.in_place->publish_host_writes();
         },
         leaves::part},
        {"vector_read, in place", [](world& w) { static_cast<void>(w.in_place->read()); }},
        {"vector_to_device, in place elsewhere",
         [](world& w) { w.in_place->to_device(*w.second); }},
        {"vector_free_buffer, in place", [](world& w) { w.in_place->free_buffer(*w.shared); },
         leaves::memory_less},
        {"vector_create_unified", [](world& w) { w.made_unified.emplace(*w.shared, elements); }},
        {"vector_to_host, unified from elsewhere",
         [](world& w) { w.unified_elsewhere->to_host(); }},
        {"vector_read, unified", [](world& w) { static_cast<void>(w.unified->read()); }},
        {"vector_end_write, unified",
         [](world& w) {
             if (!w.writes_unified) {
                 void* data = nullptr;
                 detail::call(spoc_vector_begin_write, w.unified->get(), 0U, &data);
                 w.writes_unified = true;
             }
             detail::call(spoc_vector_end_write, w.unified->get());
             w.writes_unified = false;
         }},
        {"vector_to_device, unified elsewhere", [](world& w) { w.unified->to_device(*w.second); }},
        {"vector_write_range, unified", [](world& w) { w.unified->write_range(0, numbers(16)); }},
        {"vector_free_buffer, unified", [](world& w) { w.unified->free_buffer(*w.shared); },
         leaves::memory_less},
    };
}

}  // namespace spoc::test
