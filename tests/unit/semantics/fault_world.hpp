// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Objects on which every call can be made, and what a call that fails has to leave as it was.

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch_fixture.hpp"
#include "pages.hpp"

namespace spoc::test {

/// What a `soa_vector` of the world holds.
struct numbered {
    std::int32_t number;
    float weight;
};
SPOC_FIELDS(numbered, number, weight)

/// How the first device of a world is described.
struct world_device {
    std::uint64_t pageable_max = SPOC_BE_NO_LIMIT;
};

/// Two devices with memory of their own, one in host memory and one that shares memory with the
/// host, with a copy in flight on `on`. Vectors are called after their state; nearly all hold
/// `numbers`.
struct world {
    world(recorded_runtime& over, const world_device& described) : runtime(over) {
        describe(described);
        first.emplace(runtime.start());
        second.emplace(runtime.device(1));
        host.emplace(runtime.device(2));
        shared.emplace(runtime.device(3));
        make_streams();
        make_memory();
        make_vectors();
        make_relatives();
        make_shared_vectors();
        make_kernels();
        runtime.mock.hold();
        runtime.mock.on_wait(SPOC_MOCK_WAIT_RUN);
        copy_to_device(*on, pinned->elements(), *in_flight, 0, kept);
        pending->write_range(*aside, 0, nine);
        runtime.mock.forget();
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    /// Everything ends before the runtime does.
    ~world() {
        runtime.mock.gate.forget_faults();
        runtime.mock.hold(false);
        runtime.mock.release();
    }

    void describe(const world_device& described) {
        recording& mock = runtime.mock;
        mock.set_devices(4);
        mock.gate.describe(2, SPOC_BE_KIND_CPU);
        mock.gate.describe(3, SPOC_BE_KIND_INTEGRATED);
        mock.device(0).pageable_max = described.pageable_max;
        // What is written at once takes the same way as other ordinary memory.
        mock.device(0).inline_write = described.pageable_max;
        mock.device(0).formats |= 1U << SPOC_FORMAT_OPENCL_C;
        for (const char* const name : {"add", "room", "sixteen"}) {
            mock.gate.add_kernel(name, &named_kernel(name).description);
        }
    }

    void make_streams() {
        on.emplace(*first);
        idle.emplace(*first);
        aside.emplace(*first, SPOC_STREAM_NON_BLOCKING);
        closing.emplace(*first);
        stream_there.emplace(*second);
        mark.emplace(*first);
        mark->record(*on);
        start.emplace(*first, true);
        stop.emplace(*first, true);
        start->record(*on);
        stop->record(*on);
    }
    void make_memory() {
        source.emplace(*first, 64);
        target.emplace(*first, 64);
        there.emplace(*second, 64);
        in_flight.emplace(*first, 64);
        pinned.emplace(*first, 64);
        spare.emplace(*first, 64);
        spare_buffer.emplace(*first, 64);
        pinned_numbers.emplace(*first, elements);
        registered.emplace(*first, own.part(1, 1));
    }
    void make_vectors() {
        at_host = made(1);
        both = made(2);
        both->to_device(*first);
        stale_host = made(0);
        stale_host->to_device(*first);
        stale_host->write_range(0, numbers(3));
        stale_device = made(0);
        stale_device->to_device(*first);
        overwrite(*stale_device, 4);
        spread = made(0);
        spread->to_device(*first);
        spread->to_device(*second);
        spread->write_range(0, numbers(5));
        in_host_memory = made(6);
        in_host_memory->to_device(*host);
        alone.emplace(*first, elements);
        alone->write_range(0, numbers(7));
        pending = made(8);
        pending->to_device(*first);
        over_pinned.emplace(vector<std::int32_t>::over(pinned_numbers->elements()));
        overwrite(*over_pinned, 10);
        ending = made(0);
        ending->to_device(*first);
    }
    /// A view that its device has newer, one that is nowhere yet, and records of which a device has
    /// newer fields.
    void make_relatives() {
        whole = made(11);
        part.emplace(whole->view(0, 4));
        rest.emplace(whole->view(4, 4));
        part->to_device(*first);
        part->write_range(0, std::vector<std::int32_t>(4, 12));
        records.emplace(elements);
        records->overwrite()[1] = {13, 1.5F};
        records->use_leaves(*first);
        records->leaf<0>().write_range(1, std::vector<std::int32_t>{14});
    }
    /// Vectors on the device that shares memory with the host, and one that is to be attached
    /// there.
    void make_shared_vectors() {
        in_place.emplace(host_ptr_buffer<std::int32_t>::of_span(*shared, integers(4)));
        in_place->write_range(0, numbers(15));
        unified.emplace(*shared, elements);
        overwrite(*unified, 16);
        unified_elsewhere.emplace(*shared, elements);
        overwrite(*unified_elsewhere, 0);
        unified_elsewhere->to_device(*second);
        unified_elsewhere->write_range(0, numbers(18));
        unattached = made(0);
        unattached->to_device(*second);
        unattached->write_range(0, numbers(17));
    }
    /// One program is found in the cache, and what is compiled besides is not.
    void make_kernels() {
        native.emplace(*first, SPOC_FORMAT_NATIVE_SYMBOL, "");
        add.emplace(*native, "add");
        room.emplace(*native, "room");
        many.emplace(*native, "sixteen");
        add_there.emplace(program(*second, SPOC_FORMAT_NATIVE_SYMBOL, ""), "add");
        add_in_host.emplace(program(*host, SPOC_FORMAT_NATIVE_SYMBOL, ""), "add");
        add_shared.emplace(program(*shared, SPOC_FORMAT_NATIVE_SYMBOL, ""), "add");
        for (const std::string& text : {found_text, kept_text}) {
            const program compiled(*first, SPOC_FORMAT_OPENCL_C, text);
            const kernel known(compiled, "add");
        }
        found.emplace(*first, SPOC_FORMAT_OPENCL_C, found_text);
        std::ofstream(file()) << "mock_program add sixteen";
    }
    /// Of a source whose kernel `add` nobody ran yet.
    std::string file() const { return (folder.path() / "source.cl").string(); }
    /// One of the test's own pages, as numbers.
    std::span<std::int32_t> integers(std::size_t of_page) const {
        return {reinterpret_cast<std::int32_t*>(own.part(of_page, 1).data()), elements};
    }
    std::optional<vector<std::int32_t>> made(std::int32_t seed) const {
        std::optional<vector<std::int32_t>> v(std::in_place, elements);
        overwrite(*v, seed);
        return v;
    }
    static void overwrite(vector<std::int32_t>& v, std::int32_t seed) {
        const auto fresh = numbers(seed);
        const host_writer<std::int32_t> writer = v.overwrite();
        std::copy(fresh.begin(), fresh.end(), writer.span().begin());
    }

    recorded_runtime& runtime;
    cache_home cache;
    temporary_folder folder;
    const std::string found_text = "mock_program add";
    const std::string kept_text =
        "mock_program add room";  ///< that is in the cache, and not loaded
    pages own{6};
    std::vector<std::int32_t> nine = numbers(9);
    std::shared_ptr<int> kept = std::make_shared<int>(0);
    std::shared_ptr<int> lent = std::make_shared<int>(0);
    std::optional<device> first, second, host, shared;
    std::optional<stream> on, idle, aside, closing, stream_there, made_stream;
    std::optional<event> mark, start, stop, made_event;
    std::optional<buffer> source, target, there, in_flight, spare_buffer, made_buffer;
    std::optional<pinned_buffer<std::byte>> pinned, spare, made_memory;
    std::optional<pinned_buffer<std::int32_t>> pinned_numbers;
    std::optional<host_registration> registered, made_registration;
    std::optional<vector<std::int32_t>> at_host, both, stale_host, stale_device, spread,
        in_host_memory, pending, over_pinned, ending, whole, part, rest, unattached, made_copy;
    std::optional<device_vector<std::int32_t>> alone, made_vector;
    std::optional<soa_vector<numbered>> records;
    std::optional<host_ptr_buffer<std::int32_t>> in_place, made_in_place;
    std::optional<unified_vector<std::int32_t>> unified, unified_elsewhere, made_unified;
    bool writes_unified = false;  ///< the host began to, and did not end
    std::vector<vector<std::int32_t>> made_parts;
    std::optional<program> native, found, made_program;
    std::optional<kernel> add, room, many, add_there, add_in_host, add_shared, made_kernel;
};

/// A vector as anybody sees it without moving anything.
inline std::string look_at(const world& all, const detail::vector_owner& v) {
    const spoc_vector_info info = v.info();
    std::string said = std::to_string(info.location) + '@' +
                       (info.device == nullptr ? "-" : std::to_string(device(info.device).id())) +
                       (info.freed != 0 ? " freed" : "") + " links";
    for (const std::optional<device>* const where :
         {&all.first, &all.second, &all.host, &all.shared}) {
        said += ' ' + std::to_string(v.link(**where));
    }
    return said;
}

/// What a call that fails has to leave as it was.
struct snapshot {
    explicit snapshot(world& all)
        : pending(all.runtime.mock.pending()),
          kept(all.kept.use_count()),
          lent(all.lent.use_count()),
          busy(told(spoc_buffer_free, all.in_flight->get()) == "invalid_argument busy"),
          live(is_live(all.pinned->elements())),
          registered(is_live(all.own.part(1, 1))) {
        for (std::uint32_t kind = 0; kind < alive.size(); ++kind) {
            alive[kind] = all.runtime.mock.gate.alive(kind);
        }
        const detail::vector_owner* const vectors[] = {&*all.at_host,
                                                       &*all.both,
                                                       &*all.stale_host,
                                                       &*all.stale_device,
                                                       &*all.spread,
                                                       &*all.in_host_memory,
                                                       &*all.alone,
                                                       &*all.pending,
                                                       &*all.over_pinned,
                                                       &*all.whole,
                                                       &*all.part,
                                                       &*all.rest,
                                                       &*all.in_place,
                                                       &*all.unified,
                                                       &*all.unified_elsewhere,
                                                       &*all.unattached,
                                                       &all.records->packed_as_it_is(),
                                                       &all.records->leaf_as_it_is<0>(),
                                                       &all.records->leaf_as_it_is<1>()};
        for (const detail::vector_owner* const one : vectors) {
            seen.push_back(look_at(all, *one));
        }
    }

    std::string text() const {
        std::string said = "alive";
        for (const std::uint64_t one : alive) {
            said += ' ' + std::to_string(one);
        }
        said += " kept " + std::to_string(kept) + " lent " + std::to_string(lent) +
                (busy ? " busy" : "") + (live ? " pinned" : "") + (registered ? " registered" : "");
        for (const std::string& one : seen) {
            said += "; " + one;
        }
        return said;
    }

    std::array<std::uint64_t, SPOC_MOCK_KERNELS + 1> alive{};  ///< objects of the plugin by kind
    std::uint64_t pending;                                     ///< operations that did not run
    long kept;  ///< references to what was lent for work in flight
    long lent;  ///< references to what the call itself lends
    bool busy;  ///< whether the buffer in flight is refused to be freed
    bool live;  ///< whether the ranges are in the table
    bool registered;
    std::vector<std::string> seen;
};

}  // namespace spoc::test
