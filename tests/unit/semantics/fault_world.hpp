// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Objects on which every call can be made, and what a call that fails has to leave as it was.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pages.hpp"
#include "vector_fixture.hpp"

namespace spoc::test {

/// How the first device of a world is described.
struct world_device {
    std::uint64_t pageable_max = SPOC_BE_NO_LIMIT;
};

/// Two devices with memory of their own and one in host memory, with a copy in flight on `on`.
/// Vectors are called after their state; all hold `numbers`.
struct world {
    world(recorded_runtime& over, const world_device& described) : runtime(over) {
        runtime.mock.set_devices(3);
        runtime.mock.gate.describe(2, SPOC_BE_KIND_CPU);
        runtime.mock.device(0).pageable_max = described.pageable_max;
        // What is written at once takes the same way as other ordinary memory.
        runtime.mock.device(0).inline_write = described.pageable_max;
        first.emplace(runtime.start());
        second.emplace(runtime.device(1));
        host.emplace(runtime.device(2));
        make_streams();
        make_memory();
        make_vectors();
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
    pages own{4};
    std::vector<std::int32_t> nine = numbers(9);
    std::shared_ptr<int> kept = std::make_shared<int>(0);
    std::shared_ptr<int> lent = std::make_shared<int>(0);
    std::optional<device> first, second, host;
    std::optional<stream> on, idle, aside, closing, stream_there, made_stream;
    std::optional<event> mark, start, stop, made_event;
    std::optional<buffer> source, target, there, in_flight, made_buffer;
    std::optional<pinned_buffer<std::byte>> pinned, spare, made_memory;
    std::optional<host_registration> registered, made_registration;
    std::optional<vector<std::int32_t>> at_host, both, stale_host, stale_device, spread,
        in_host_memory, pending;
    std::optional<device_vector<std::int32_t>> alone, made_vector;
};

/// A vector as anybody sees it without moving anything.
inline std::string look_at(const world& all, const detail::vector_owner& v) {
    const spoc_vector_info info = v.info();
    std::string said = std::to_string(info.location) + '@' +
                       (info.device == nullptr ? "-" : std::to_string(device(info.device).id())) +
                       (info.freed != 0 ? " freed" : "") + " links";
    for (const std::optional<device>* const where : {&all.first, &all.second, &all.host}) {
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
        const detail::vector_owner* const vectors[] = {
            &*all.at_host, &*all.both,           &*all.stale_host, &*all.stale_device,
            &*all.spread,  &*all.in_host_memory, &*all.alone,      &*all.pending};
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
