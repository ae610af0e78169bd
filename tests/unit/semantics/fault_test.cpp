// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pages.hpp"
#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

/// What a call that fails has to leave as it was.
struct snapshot {
    std::array<std::uint64_t, SPOC_MOCK_KERNELS + 1> alive{};  ///< objects of the plugin by kind
    std::uint64_t pending = 0;                                 ///< operations that did not run
    long kept = 0;        ///< references to what was lent for work in flight
    long lent = 0;        ///< references to what the call itself lends
    bool busy = false;    ///< whether the buffer in flight is refused to be freed
    bool pinned = false;  ///< whether the ranges are in the table
    bool registered = false;
    std::string text() const {
        std::string said;
        for (const std::uint64_t one : alive) {
            said += std::to_string(one) + ' ';
        }
        return said + "kept " + std::to_string(kept) + " lent " + std::to_string(lent) +
               (busy ? " busy" : "") + (pinned ? " pinned" : "") +
               (registered ? " registered" : "");
    }
};

/// Objects on which every call can be made, with a copy in flight on `on`.
struct world {
    explicit world(std::uint64_t pageable_max) {
        runtime.mock.set_devices(2);
        runtime.mock.device(0).pageable_max = pageable_max;
        runtime.mock.device(0).inline_write = pageable_max;
        first.emplace(runtime.start());
        second.emplace(runtime.device(1));
        on.emplace(*first);
        idle.emplace(*first);
        stream_there.emplace(*second);
        mark.emplace(*first);
        mark->record(*on);
        start.emplace(*first, true);
        stop.emplace(*first, true);
        start->record(*on);
        stop->record(*on);
        source.emplace(*first, 64);
        target.emplace(*first, 64);
        there.emplace(*second, 64);
        in_flight.emplace(*first, 64);
        pinned.emplace(*first, 64);
        spare.emplace(*first, 64);
        registered.emplace(*first, own.part(1, 1));
        runtime.mock.hold();
        runtime.mock.on_wait(SPOC_MOCK_WAIT_RUN);
        copy_to_device(*on, pinned->elements(), *in_flight, 0, kept);
        runtime.mock.forget();
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() {
        runtime.mock.gate.forget_faults();
        runtime.mock.hold(false);
        runtime.mock.release();
    }

    snapshot look() const {
        snapshot seen;
        for (std::uint32_t kind = 0; kind < seen.alive.size(); ++kind) {
            seen.alive[kind] = runtime.mock.gate.alive(kind);
        }
        seen.pending = runtime.mock.pending();
        seen.kept = kept.use_count();
        seen.lent = lent.use_count();
        seen.busy = told(spoc_buffer_free, in_flight->get()) == "invalid_argument busy";
        seen.pinned = is_live(pinned->elements());
        seen.registered = is_live(own.part(1, 1));
        return seen;
    }

    recorded_runtime runtime;
    pages own{4};
    std::shared_ptr<int> kept = std::make_shared<int>(0);
    std::shared_ptr<int> lent = std::make_shared<int>(0);
    std::optional<device> first, second;
    std::optional<stream> on, idle, stream_there, made_stream;
    std::optional<event> mark, start, stop, made_event;
    std::optional<buffer> source, target, there, in_flight, made_buffer;
    std::optional<pinned_buffer<std::byte>> pinned, spare, made_memory;
    std::optional<host_registration> registered, made_registration;
};

/// What may be different after a call that failed.
enum class leaves {
    nothing,
    an_object_less,  ///< an entry that ends an object ends it also when it fails
    slots,           ///< the library keeps staging memory, or its ring
};

struct operation {
    std::string name;
    std::function<void(world&)> call;
    leaves left = leaves::nothing;
    std::uint64_t pageable_max = SPOC_BE_NO_LIMIT;
};

std::vector<operation> about_objects() {
    return {
        {"stream_create", [](world& w) { w.made_stream.emplace(*w.first); }},
        {"stream_default", [](world& w) { w.made_stream.emplace(stream::default_of(*w.first)); }},
        {"stream_synchronize", [](world& w) { w.on->synchronize(); }},
        {"stream_query", [](world& w) { static_cast<void>(w.on->idle()); }},
        {"stream_flush", [](world& w) { w.on->flush(); }},
        {"device_synchronize", [](world& w) { synchronize(*w.first); }},
        {"event_create", [](world& w) { w.made_event.emplace(*w.first); }},
        {"event_record", [](world& w) { w.mark->record(*w.idle); }},
        {"stream_wait_event", [](world& w) { wait(*w.idle, *w.mark); }},
        {"stream_wait_event across devices", [](world& w) { wait(*w.stream_there, *w.mark); }},
        {"event_query", [](world& w) { static_cast<void>(w.mark->complete()); }},
        {"event_synchronize", [](world& w) { w.mark->synchronize(); }},
        {"event_elapsed", [](world& w) { static_cast<void>(elapsed(*w.start, *w.stop)); }},
        {"buffer_create", [](world& w) { w.made_buffer.emplace(*w.first, 64); }},
        {"buffer_free", [](world& w) { w.source->free(); }, leaves::an_object_less},
        {"host_memory_allocate", [](world& w) { w.made_memory.emplace(*w.first, 64); }},
        {"host_memory_register",
         [](world& w) { w.made_registration.emplace(*w.first, w.own.part(3, 1), w.lent); }},
        {"host_memory_release, allocated", [](world& w) { w.spare->release(); },
         leaves::an_object_less},
        {"host_memory_release, registered", [](world& w) { w.registered->release(); }},
        {"host_memory_available", [](world& w) { static_cast<void>(has_pinned_memory(*w.first)); }},
    };
}

std::vector<operation> about_copies() {
    const auto up = [](world& w) {
        copy_to_device(*w.on, w.own.part(0, 1).first(64), *w.target, 0, w.lent);
    };
    const auto down = [](world& w) {
        copy_to_host(*w.on, *w.target, 0, w.own.part(0, 1).first(64), w.lent);
    };
    const auto stage_it = [](world& w) { stage(*w.on, w.own.part(0, 1).first(64), *w.target); };
    const auto up_now = [](world& w) { copy_to_device(w.own.part(0, 1).first(64), *w.target); };
    const auto down_now = [](world& w) { copy_to_host(*w.target, 0, w.own.part(0, 1).first(64)); };
    return {
        {"enqueue_copy_to_device", up},
        {"enqueue_copy_to_host", down},
        {"enqueue_copy_on_device",
         [](world& w) { copy_on_device(*w.on, *w.source, 0, *w.target, 0, 64); }},
        {"enqueue_copy_on_device between two",
         [](world& w) { copy_on_device(*w.stream_there, *w.source, 0, *w.there, 0, 64); }},
        {"enqueue_fill", [](world& w) { fill(*w.on, *w.target, 0, 64, std::uint8_t{1}); }},
        {"copy_to_device", up_now},
        {"copy_to_host", down_now},
        {"copy_on_device", [](world& w) { copy_on_device(*w.source, 0, *w.target, 0, 64); }},
        {"copy_on_device between two",
         [](world& w) { copy_on_device(*w.source, 0, *w.there, 0, 64); }},
        {"fill", [](world& w) { fill(*w.target, 0, 64, std::uint8_t{1}); }},
        {"enqueue_copy_to_device, staged", up, leaves::slots, 0},
        {"enqueue_copy_to_host, staged", down, leaves::slots, 0},
        {"copy_to_device, staged", up_now, leaves::slots, 0},
        {"copy_to_host, staged", down_now, leaves::slots, 0},
        {"enqueue_staged, by the driver", stage_it},
        {"enqueue_staged, by the ring", stage_it, leaves::slots, 0},
    };
}

/// The entries that an operation calls, in order. Further ranges of a copy are part of its call.
std::vector<std::uint32_t> entries_of(const operation& one) {
    world fresh(one.pageable_max);
    one.call(fresh);
    std::vector<std::uint32_t> found;
    for (const spoc_mock_call& call : fresh.runtime.mock.records()) {
        if (call.range == 0) {
            found.push_back(call.entry);
        }
    }
    return found;
}

void check_unchanged(const snapshot& before, snapshot after, leaves left) {
    if (left == leaves::slots) {
        after.alive[SPOC_MOCK_HOSTMEMS] = before.alive[SPOC_MOCK_HOSTMEMS];
        after.alive[SPOC_MOCK_EVENTS] = before.alive[SPOC_MOCK_EVENTS];
    }
    if (left == leaves::an_object_less) {
        ++(after.alive[SPOC_MOCK_BUFFERS] < before.alive[SPOC_MOCK_BUFFERS]
               ? after.alive[SPOC_MOCK_BUFFERS]
               : after.alive[SPOC_MOCK_HOSTMEMS]);
    }
    CHECK(after.text() == before.text());
    // What was pending may have run meanwhile.
    CHECK(after.pending <= before.pending);
}

/// Fails call number `index` of an operation.
void try_fault(const operation& one, const std::vector<std::uint32_t>& entries, std::size_t index) {
    world fresh(one.pageable_max);
    spoc_mock_fault fault{};
    fault.size = sizeof fault;
    fault.entry = entries[index];
    fault.status = SPOC_BE_DRIVER;
    fault.skip = static_cast<std::uint64_t>(std::count(
        entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(index), entries[index]));
    const snapshot before = fresh.look();
    fresh.runtime.mock.fail(fault);
    const std::string answer = thrown([&] { one.call(fresh); });
    if (answer != "ok") {
        CHECK(answer.substr(0, 13) == "backend_error");
        check_unchanged(before, fresh.look(), one.left);
        // It works when it is tried again.
        CHECK(thrown([&] { one.call(fresh); }) == "ok");
    } else {
        // Only what has another way may succeed, and what gives memory back that nobody uses.
        CHECK((one.left == leaves::slots || one.name == "host_memory_available"));
    }
}

}  // namespace

TEST_CASE("A call of a plugin that fails leaves everything as it was", "[R-003][R-512]") {
    std::vector<operation> operations = about_objects();
    const std::vector<operation> copies = about_copies();
    operations.insert(operations.end(), copies.begin(), copies.end());
    std::size_t faults = 0;
    for (const operation& one : operations) {
        const std::vector<std::uint32_t> entries = entries_of(one);
        for (std::size_t index = 0; index < entries.size(); ++index) {
            CAPTURE(one.name, index, entries[index]);
            try_fault(one, entries, index);
            ++faults;
        }
    }
    CHECK(faults > 45);
}

TEST_CASE("A stream whose last wait fails stays open, and what it uses is kept", "[R-003][R-505]") {
    world fresh(SPOC_BE_NO_LIMIT);
    const snapshot before = fresh.look();
    fresh.runtime.mock.fail("stream_sync", SPOC_BE_DRIVER);
    CHECK(thrown([&] { fresh.on->close(); }) == "backend_error sync_failed");
    check_unchanged(before, fresh.look(), leaves::nothing);
    copy_to_device(*fresh.on, fresh.pinned->elements(), *fresh.target);
    fresh.on->close();
    CHECK(fresh.kept.use_count() == 1);
}

TEST_CASE("A stream that cannot be ended is closed all the same", "[R-505]") {
    world fresh(SPOC_BE_NO_LIMIT);
    fresh.runtime.mock.fail("stream_destroy", SPOC_BE_DRIVER);
    CHECK(thrown([&] { fresh.on->close(); }) == "backend_error driver");
    CHECK(fresh.kept.use_count() == 1);
    CHECK(thrown([&] { fresh.on->synchronize(); }) == "invalid_argument destroyed");
    fresh.on->close();
    CHECK(fresh.runtime.mock.count("stream_destroy") == 1);
}

}  // namespace spoc::test
