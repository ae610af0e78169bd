// SPDX-License-Identifier: Apache-2.0

/// \file
/// Entries of the table called directly against the functions of libspoc that lead to them. What
/// they work on is made before and shared by the two functions of a contest.

#include <memory>

#include <spoc/spoc.hpp>

#include "bench_case.hpp"
#include "repeated_call.hpp"

namespace spoc::bench {
namespace {

constexpr std::uint64_t copied_bytes = 4096;

/// What a copy needs on each side. Page-locked where the device has it.
struct copy_ends {
    explicit copy_ends(const bench_place& place)
        : on(place), raw_target(place.raw, copied_bytes), own_target(place.where, copied_bytes) {
        if (place.where.capability(SPOC_BE_CAP_PINNED) == answer::yes) {
            raw_source = std::make_unique<raw_host_memory>(place.raw, copied_bytes);
            own_source = std::make_unique<pinned_buffer<std::byte>>(place.where, copied_bytes);
        }
        range.dst = raw_target.handle;
        range.bytes = copied_bytes;
        range.host = raw_source != nullptr ? raw_source->made.host : ordinary.data();
        range.hostmem = raw_source != nullptr ? raw_source->made.hostmem : nullptr;
        request.size = sizeof request;
        request.kind = SPOC_BE_COPY_H2D;
        request.count = 1;
        request.ranges = &range;
    }
    copy_ends(const copy_ends&) = delete;
    copy_ends& operator=(const copy_ends&) = delete;

    const void* source() const {
        return own_source != nullptr ? own_source->data() : ordinary.data();
    }

    streams on;
    raw_buffer raw_target;
    buffer own_target;
    std::vector<std::byte> ordinary = std::vector<std::byte>(copied_bytes);
    std::unique_ptr<raw_host_memory> raw_source;
    std::unique_ptr<pinned_buffer<std::byte>> own_source;
    spoc_be_range range{};
    spoc_be_copy request{};
};

contest copy_contest(const std::shared_ptr<copy_ends>& ends, const std::string& what) {
    contest made{what, "the entry copy", {}, {}, 150, 512};
    made.raw.run = repeat_raw([ends](spoc_be_error& error) {
        std::uint32_t done = 0;
        return ends->on.table.copy(ends->on.raw.handle, &ends->request, &done, &error);
    });
    made.raw.after = [ends](std::uint64_t) { ends->on.raw.synchronize(); };
    made.spoc.run = repeat([ends](spoc_error& error) {
        return spoc_enqueue_copy_to_device(ends->on.own.get(), ends->source(), copied_bytes,
                                           ends->own_target.get(), 0, nullptr, &error);
    });
    made.spoc.after = [ends](std::uint64_t) { ends->on.own.synchronize(); };
    return made;
}

/// An event of each side, recorded once.
struct events {
    explicit events(const bench_place& place) : on(place), raw(place.raw), own(place.where) {
        own.record(on.own);
        spoc_be_error error = empty_error();
        raw_backend::check(on.table.event_record(raw.handle, on.raw.handle, &error), error);
        own.synchronize();
        on.raw.synchronize();
    }
    events(const events&) = delete;
    events& operator=(const events&) = delete;

    streams on;
    raw_event raw;
    event own;
};

contest event_contest(const std::shared_ptr<events>& of, const char* what, const char* baseline,
                      std::int32_t (*raw)(events&, spoc_be_error&),
                      spoc_status (*own)(events&, spoc_error&), std::optional<double> target) {
    contest made{what, baseline, {}, {}, target, 512};
    made.raw.run = repeat_raw([of, raw](spoc_be_error& error) { return raw(*of, error); });
    made.raw.after = [of](std::uint64_t) { of->on.raw.synchronize(); };
    made.spoc.run = repeat([of, own](spoc_error& error) { return own(*of, error); });
    made.spoc.after = [of](std::uint64_t) { of->on.own.synchronize(); };
    return made;
}

contest making_events(const bench_place& place) {
    contest made{"make and end", "event_create, event_destroy", {}, {}, std::nullopt, 512};
    made.raw.run = [raw = &place.raw](std::uint64_t calls) {
        for (std::uint64_t i = 0; i < calls; ++i) {
            const raw_event one(*raw);
        }
    };
    made.spoc.run = [where = place.where](std::uint64_t calls) {
        for (std::uint64_t i = 0; i < calls; ++i) {
            const event one(where);
        }
    };
    return made;
}

}  // namespace

std::vector<contest> call_contests(const bench_place& place) {
    const auto on = std::make_shared<streams>(place);
    contest made{"query of an idle stream", "the entry stream_query", {}, {}, std::nullopt, 512};
    made.raw.run = repeat_raw(
        [on](spoc_be_error& error) { return on->table.stream_query(on->raw.handle, &error); });
    made.spoc.run = repeat([on](spoc_error& error) {
        std::int32_t idle = 0;
        return spoc_stream_query(on->own.get(), &idle, &error);
    });
    return {made};
}

std::vector<contest> copy_contests(const bench_place& place) {
    return {copy_contest(std::make_shared<copy_ends>(place), "enqueue a copy")};
}

std::vector<contest> event_contests(const bench_place& place) {
    const auto of = std::make_shared<events>(place);
    return {
        making_events(place),
        event_contest(
            of, "record", "the entry event_record",
            [](events& e, spoc_be_error& error) {
                return e.on.table.event_record(e.raw.handle, e.on.raw.handle, &error);
            },
            [](events& e, spoc_error& error) {
                return spoc_event_record(e.own.get(), e.on.own.get(), &error);
            },
            50),
        event_contest(
            of, "wait on a stream", "the entry stream_wait",
            [](events& e, spoc_be_error& error) {
                return e.on.table.stream_wait(e.on.raw.handle, e.raw.handle, &error);
            },
            [](events& e, spoc_error& error) {
                return spoc_stream_wait_event(e.on.own.get(), e.own.get(), &error);
            },
            50),
        event_contest(
            of, "query, complete", "the entry event_query",
            [](events& e, spoc_be_error& error) {
                return e.on.table.event_query(e.raw.handle, &error);
            },
            [](events& e, spoc_error& error) {
                std::int32_t complete = 0;
                return spoc_event_query(e.own.get(), &complete, &error);
            },
            50),
    };
}

std::vector<contest> crowded_copy_contests(const bench_place& place, std::size_t ranges) {
    /// `copy_ends` whose source is one of many ranges.
    struct crowd {
        crowd(const bench_place& at, std::size_t count) : ends(at) {
            while (others.size() < count) {
                others.emplace_back(at.where, copied_bytes);
            }
        }
        copy_ends ends;
        std::vector<pinned_buffer<std::byte>> others;
    };
    const auto all = std::make_shared<crowd>(place, ranges);
    return {copy_contest({all, &all->ends}, "enqueue a copy of one of them")};
}

}  // namespace spoc::bench
