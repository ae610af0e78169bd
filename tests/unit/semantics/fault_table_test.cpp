// SPDX-License-Identifier: Apache-2.0

/// \file
/// Every call that reaches a plugin, with each of its calls there failing in turn.

#include "fault_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace spoc::test {
namespace {

rows all_rows() {
    rows all;
    for (const rows& some :
         {about_streams(), about_memory(), about_copies(), about_host_copies(), about_vectors(),
          about_relatives(), about_shared_memory(), about_programs(), about_launches()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

/// The entries that a row calls, in order. Further ranges of a copy are part of its call.
std::vector<std::uint32_t> entries_of(recorded_runtime& runtime, const row& one) {
    std::vector<std::uint32_t> found;
    {
        world fresh(runtime, {one.pageable_max});
        CHECK(thrown([&] { one.call(fresh); }) == "ok");
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
    // A binary that cannot be had is not kept in a file, and of a source that is run only the
    // kernel is kept.
    const bool unkept = one.left == leaves::binary && (entry == entry_number("program_binary") ||
                                                       entry == entry_number("program_destroy"));
    // That a device is lost is an answer.
    const bool told = one.name == "device_health" && status == SPOC_BE_DEVICE_LOST;
    // What gives memory back that nobody uses; what another way is there for.
    return again || unkept || told || one.name == "host_memory_available" ||
           one.left == leaves::slots || one.left == leaves::source ||
           one.left == leaves::told_nobody;
}

/// Without what the library may have kept for itself: slots and their events, or what it compiled.
std::string without_own(snapshot seen, leaves left) {
    if (left == leaves::slots) {
        seen.alive[SPOC_MOCK_HOSTMEMS] = 0;
        seen.alive[SPOC_MOCK_EVENTS] = 0;
    } else if (left == leaves::binary || left == leaves::source) {
        seen.alive[SPOC_MOCK_PROGRAMS] = 0;
        seen.alive[SPOC_MOCK_KERNELS] = 0;
    }
    return seen.text();
}

/// Whether a call that failed has left everything as it was.
bool has_to_be_equal(const row& one, std::uint32_t entry, std::size_t index) {
    return one.left != leaves::part &&
           (one.left != leaves::memory_less || (index == 0 && !ends_something(entry)));
}

/// That every vector still has what it had, wherever that is.
void check_contents(world& all, leaves left) {
    all.runtime.mock.hold(false);
    all.runtime.mock.release();
    const std::pair<vector<std::int32_t>*, std::int32_t> wanted[] = {
        {&*all.at_host, 1},           {&*all.both, 2},      {&*all.stale_host, 3},
        {&*all.stale_device, 4},      {&*all.spread, 5},    {&*all.in_host_memory, 6},
        {&*all.over_pinned, 10},      {&*all.in_place, 15}, {&*all.unified, 16},
        {&*all.unified_elsewhere, 18}};
    for (const auto& [v, seed] : wanted) {
        CAPTURE(seed);
        CHECK((left == leaves::bytes || copy_of(v->read()) == numbers(seed)));
    }
    if (all.alone->info().freed == 0) {
        std::vector<std::int32_t> got(elements);
        all.alone->read_range(0, got);
        CHECK(got == numbers(7));
    }
    all.whole->gather();
    CHECK(all.whole->at(0) == 12);
    CHECK(all.whole->at(7) == numbers(11)[7]);
    CHECK(all.records->read()[1].number == 14);
    CHECK(all.records->read()[1].weight == 1.5F);
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
            if (has_to_be_equal(one, entries[index], index)) {
                CHECK(without_own(after, one.left) == without_own(before, one.left));
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
          "[R-003][R-512][R-401][R-214][R-217][R-320][U-2][H-41]") {
    recorded_runtime runtime;
    // What a shutdown says of a lost device is no news here.
    runtime.variables.set("SPOC_LOG", "off");
    std::size_t faults = 0;
    for (const row& one : all_rows()) {
        CAPTURE(one.name);
        const std::vector<std::uint32_t> entries = entries_of(runtime, one);
        CHECK_FALSE(entries.empty());
        for (std::size_t index = 0; index < entries.size(); ++index) {
            for (const std::int32_t status :
                 {SPOC_BE_DRIVER, SPOC_BE_OUT_OF_MEMORY, SPOC_BE_DEVICE_LOST}) {
                CAPTURE(one.name, index, entries[index], status);
                try_fault(runtime, one, entries, index, status);
                ++faults;
            }
        }
    }
    CHECK(faults > 600);
}

}  // namespace spoc::test
