// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pages.hpp"
#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

constexpr std::uint64_t size = 1000;

/// Figures of now, as "buffers bytes".
std::string held(const spoc_stats& found) {
    return std::to_string(found.buffers) + ' ' + std::to_string(found.bytes);
}

/// "count bytes" of what the program freed, and of what ended by itself.
std::string freed(const spoc_stats& found) {
    return std::to_string(found.frees) + ' ' + std::to_string(found.freed_bytes) + ", " +
           std::to_string(found.auto_frees) + ' ' + std::to_string(found.auto_bytes);
}

}  // namespace

TEST_CASE("Accounts follow what is made and freed, by whichever way", "[R-310]") {
    two_devices fixture;
    fixture.begin();
    reset_stats();
    const spoc_stats base = stats();
    {
        vector<std::byte> v(size);
        CHECK(held(stats(*fixture.d)) == "0 0");
        v.to_device(*fixture.d);
        v.to_device(*fixture.d);
        CHECK(held(stats(*fixture.d)) == "1 1000");
        buffer raw(*fixture.d, 2 * size);
        const device_vector<std::byte> alone(*fixture.e, size);
        const buffer empty(*fixture.d, 0);
        CHECK(held(stats(*fixture.d)) == "2 3000");
        CHECK(held(stats(*fixture.e)) == "1 1000");
        CHECK(stats().buffers == base.buffers + 3);
        CHECK(stats().bytes == base.bytes + 4 * size);
        CHECK(stats(*fixture.d).allocations == 2);
        raw.free();
        CHECK(freed(stats(*fixture.d)) == "1 2000, 0 0");
        v.free_buffer(*fixture.d);
        CHECK(freed(stats(*fixture.d)) == "2 3000, 0 0");
        CHECK(held(stats(*fixture.d)) == "0 0");
        v.to_device(*fixture.d);
        const buffer dropped(*fixture.d, 3 * size);
    }
    CHECK(held(stats(*fixture.d)) == "0 0");
    CHECK(freed(stats(*fixture.d)) == "2 3000, 2 4000");
    CHECK(freed(stats(*fixture.e)) == "0 0, 1 1000");
    CHECK(freed(stats()) == "2 3000, 3 5000");
    CHECK(stats(*fixture.d).peak_bytes == 4 * size);
    CHECK(stats().peak_bytes == base.bytes + 5 * size);
    CHECK(stats().bytes == base.bytes);
    CHECK(stats().buffers == base.buffers);
    CHECK(stats().allocations == 5);
}

TEST_CASE("Buffers that are host storage count too", "[R-310]") {
    recorded_runtime runtime;
    runtime.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    const device first(runtime.start());
    vector<std::byte> v(size);
    v.to_device(first);
    CHECK(v.link(first) == SPOC_LINK_HOST_STORAGE);
    CHECK(held(stats(first)) == "1 1000");
    v.free_all_buffers();
    CHECK(held(stats(first)) == "0 0");
    CHECK(stats(first).frees == 1);
}

TEST_CASE("Memory that ends with its work or with the runtime was not freed by the program",
          "[R-310]") {
    recorded_runtime runtime;
    const device first(runtime.start());
    const stream on(first);
    std::optional<buffer> used(std::in_place, first, size);
    const buffer left(first, 2 * size);
    runtime.mock.hold();
    fill(on, *used, 0, size, std::uint8_t{1});
    used.reset();
    CHECK(held(stats(first)) == "2 3000");
    runtime.mock.hold(false);
    runtime.mock.release();
    on.synchronize();
    CHECK(freed(stats(first)) == "0 0, 1 1000");
    runtime.stop();
    CHECK(freed(stats(first)) == "0 0, 2 3000");
    CHECK(held(stats(first)) == "0 0");
}

TEST_CASE("Beginning anew takes no account below nothing", "[R-310][H-17]") {
    held_device fixture;
    buffer kept(fixture.dev(), size);
    { const buffer gone(fixture.dev(), 4 * size); }
    reset_stats();
    spoc_stats found = stats(fixture.dev());
    CHECK(held(found) == "1 1000");
    CHECK(freed(found) == "0 0, 0 0");
    CHECK(found.peak_bytes == size);
    CHECK(found.allocations == 0);
    kept.free();
    found = stats(fixture.dev());
    CHECK(held(found) == "0 0");
    CHECK(freed(found) == "1 1000, 0 0");
    CHECK(found.peak_bytes == size);
}

TEST_CASE("An allocation that is tried again is counted, one that fails is not", "[R-310][R-303]") {
    held_device fixture;
    reset_stats();
    fixture.mock.fail("buffer_create", SPOC_BE_OUT_OF_MEMORY);
    { const buffer made(fixture.dev(), size); }
    CHECK(fixture.mock.count("buffer_create") == 2);
    CHECK(stats(fixture.dev()).retries == 1);
    CHECK(stats(fixture.dev()).allocations == 1);
    fixture.mock.forget();
    fixture.mock.fail("buffer_create", SPOC_BE_DRIVER);
    CHECK(thrown([&] { buffer(fixture.dev(), size); }) == "backend_error driver");
    CHECK(fixture.mock.count("buffer_create") == 1);
    CHECK(stats(fixture.dev()).retries == 1);
    CHECK(stats().retries == 1);
    CHECK(stats(fixture.dev()).allocations == 1);
    CHECK(held(stats(fixture.dev())) == "0 0");
}

TEST_CASE("A buffer whose end fails is gone from the accounts", "[R-310]") {
    held_device fixture;
    buffer made(fixture.dev(), size);
    fixture.mock.fail("buffer_destroy", SPOC_BE_DRIVER);
    CHECK(thrown([&] { made.free(); }) == "backend_error driver");
    CHECK(held(stats(fixture.dev())) == "0 0");
}

TEST_CASE("Page-locked memory has accounts of its own", "[R-310]") {
    held_device fixture;
    fixture.first.reset();
    fixture.runtime.stop();
    fixture.mock.device().inline_write = 0;
    fixture.mock.device().pageable_max = 0;
    fixture.begin();
    pages own(2);
    {
        const pinned_buffer<std::byte> memory(fixture.dev(), size);
        const host_registration registered(fixture.dev(), own.part(0, 1));
        const spoc_stats found = stats(fixture.dev());
        CHECK(found.pinned == 1);
        CHECK(found.pinned_bytes == size);
        CHECK(found.registered == 1);
        CHECK(found.registered_bytes == own.part(0, 1).size());
        CHECK(found.bytes == 0);
        CHECK(found.ring_bytes + found.slot_bytes == 0);
    }
    device_vector<std::byte> v(fixture.dev(), size);
    v.stage(0, bytes(size));
    CHECK(stats(fixture.dev()).ring_bytes == 1 << 20);
    CHECK(stats(fixture.dev()).slot_bytes == 0);
    v.write_range(0, bytes(size));
    CHECK(stats(fixture.dev()).slot_bytes == 4 << 20);
    CHECK(stats(fixture.dev()).pinned_bytes == 0);
    CHECK(stats(fixture.dev()).registered_bytes == 0);
    CHECK(held(stats(fixture.dev())) == "1 1000");
    fixture.mock.fail("host_register", SPOC_BE_DRIVER);
    CHECK(thrown([&] { host_registration(fixture.dev(), own.part(0, 1)); }) ==
          "backend_error driver");
    CHECK(stats(fixture.dev()).registered == 0);
    const device before = fixture.dev();
    fixture.runtime.stop();
    CHECK(stats(before).ring_bytes == 0);
    CHECK(stats(before).slot_bytes == 0);
}

TEST_CASE("Threads that make and free in parallel leave nothing in the accounts",
          "[R-310][R-540]") {
    held_device fixture;
    const spoc_stats base = stats();
    reset_stats();
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 1; thread <= 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (int round = 0; round < 200; ++round) {
                buffer freed(fixture.dev(), thread * 100);
                const buffer dropped(fixture.dev(), thread);
                freed.free();
            }
        });
    }
    for (std::thread& one : threads) {
        one.join();
    }
    const spoc_stats found = stats(fixture.dev());
    CHECK(held(found) == "0 0");
    CHECK(found.allocations == 1600);
    CHECK(freed(found) == "800 200000, 800 2000");
    CHECK(found.peak_bytes >= 404);
    CHECK(found.peak_bytes <= 1010);
    CHECK(stats().bytes == base.bytes);
}

TEST_CASE("Accounts are there without a runtime, and want a place", "[R-310]") {
    auto found = sized<spoc_stats>();
    const spoc_device everywhere = nullptr;
    CHECK(told(spoc_stats_get, everywhere, &found) == "ok");
    CHECK(told(spoc_stats_get, everywhere, static_cast<spoc_stats*>(nullptr)) ==
          "invalid_argument null");
    found.size = 0;
    CHECK(told(spoc_stats_get, everywhere, &found) == "invalid_argument value");
    // An older program's structure is written as far as it goes.
    found = {};
    found.size = offsetof(spoc_stats, bytes);
    found.bytes = 77;
    CHECK(told(spoc_stats_get, everywhere, &found) == "ok");
    CHECK(found.bytes == 77);
    CHECK(found.size == offsetof(spoc_stats, bytes));
}

}  // namespace spoc::test
