// SPDX-License-Identifier: Apache-2.0

/// \file
/// Views of vectors: what they share with the vector, what keeps the two coherent, and partition.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

using numbers_vector = vector<std::int32_t>;

class fixture : public two_devices {
 public:
    fixture() { begin(); }
};

constexpr const char* is_stale = "invalid_argument stale_host";
constexpr const char* is_busy = "invalid_argument busy";

/// Everything that touches the elements of a vector.
std::vector<std::pair<std::string, std::function<void(two_devices&, numbers_vector&)>>> uses() {
    return {
        {"read", [](two_devices&, auto& v) { v.read(); }},
        {"at", [](two_devices&, auto& v) { v.at(0); }},
        {"set", [](two_devices&, auto& v) { v.set(0, 1); }},
        {"fill", [](two_devices&, auto& v) { v.fill(1); }},
        {"copy", [](two_devices&, auto& v) { v.copy(); }},
        {"view", [](two_devices&, auto& v) { v.view(0, 1); }},
        {"to_device(d)", [](two_devices& on, auto& v) { v.to_device(*on.d); }},
        {"to_device(e)", [](two_devices& on, auto& v) { v.to_device(*on.e); }},
        {"to_host", [](two_devices&, auto& v) { v.to_host(); }},
        {"to_host(force)", [](two_devices&, auto& v) { v.to_host(true); }},
        {"sync", [](two_devices&, auto& v) { v.sync(); }},
        {"write_range", [](two_devices&, auto& v) { v.write_range(0, numbers(5)); }},
        {"read_range",
         [](two_devices&, auto& v) {
             std::vector<std::int32_t> got(1);
             v.read_range(0, got);
         }},
    };
}

std::vector<std::int32_t> part(const std::vector<std::int32_t>& all, std::size_t first,
                               std::size_t count) {
    const auto start = all.begin() + static_cast<std::ptrdiff_t>(first);
    return {start, start + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

TEST_CASE_METHOD(fixture, "A view shares the host's memory, and has an identity of its own",
                 "[R-224]") {
    placed_vector placed(*this, "host");
    numbers_vector view = placed.v.view(2, 3);
    CHECK(copy_of(view.read()) == part(placed.fresh, 2, 3));
    CHECK(view.id() != placed.v.id());
    CHECK(view.info().depth == 1);
    CHECK(placed.v.info().depth == 0);
    CHECK(view.info().kind == SPOC_KIND_INT32);
    CHECK(place(view) == "host");
    view.set(1, 77);
    CHECK(placed.v.at(3) == 77);
    placed.v.set(2, 66);
    CHECK(view.at(0) == 66);
    numbers_vector inner = view.view(1, 2);
    CHECK(inner.info().depth == 2);
    CHECK(inner.at(0) == 77);
    CHECK(place(placed.v.view(0, 0)) == "host");
    CHECK(place(placed.v.view(8, 0, *e)) == "stale_device e");
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "A view beyond its vector is refused", "[R-002][R-224][B67]") {
    placed_vector placed(*this, "stale_host d");
    device_vector<std::int32_t> alone(*d, elements);
    mock.forget();
    const auto beyond = std::string("invalid_argument bounds");
    CHECK(thrown([&] { placed.v.view(0, 9); }) == beyond);
    CHECK(thrown([&] { placed.v.view(9, 0); }) == beyond);
    CHECK(thrown([&] { placed.v.view(1, UINT64_MAX); }) == beyond);
    CHECK(thrown([&] { placed.v.view(UINT64_MAX, 2); }) == beyond);
    spoc_vector made = nullptr;
    CHECK(told(spoc_vector_view, alone.get(), 0UL, 1UL, spoc_device{nullptr}, &made) ==
          "invalid_argument device_only");
    CHECK(made == nullptr);
    CHECK(mock.records().empty());
    CHECK(place(placed.v) == "stale_host d");
}

TEST_CASE_METHOD(fixture, "Taking a view brings the vector to the host first", "[R-222][R-224]") {
    placed_vector placed(*this, "stale_host d");
    placed.v.set_auto_sync(false);
    CHECK(thrown([&] { placed.v.view(0, 1); }) == is_stale);
    CHECK(place(placed.v) == "stale_host d");
    placed.v.set_auto_sync(true);
    mock.forget();
    const numbers_vector view = placed.v.view(4, 4);
    CHECK(copies(SPOC_BE_COPY_D2H) == 1);
    CHECK(place(placed.v) == "both d");
    CHECK(copy_of(view.read()) == part(placed.fresh, 4, 4));
}

TEST_CASE_METHOD(fixture, "A host write through a view makes its vectors' device copies old",
                 "[R-224]") {
    placed_vector placed(*this, "host");
    numbers_vector middle = placed.v.view(1, 6);
    numbers_vector view = middle.view(1, 2);
    placed.v.to_device(*d);
    view.set(0, -9);
    CHECK(place(placed.v) == "stale_device d");
    placed.fresh[2] = -9;
    placed.v.to_device(*d);
    CHECK(placed.on_device() == placed.fresh);
    view.fill(3);
    CHECK(place(placed.v) == "stale_device d");
}

TEST_CASE_METHOD(fixture, "While a view is in use on a device its vector is refused",
                 "[R-002][R-003][R-224][H-15]") {
    for (const char* const state : {"both", "stale_host"}) {
        for (const auto& [name, use] : uses()) {
            CAPTURE(std::string(state), name);
            placed_vector placed(*this, "both d");
            numbers_vector view = placed.v.view(2, 2);
            view.to_device(*e);
            if (std::string(state) == "stale_host") {
                view.write_range(0, std::vector<std::int32_t>{-1, -2});
                placed.fresh[2] = -1;
                placed.fresh[3] = -2;
            }
            mock.forget();
            CHECK(thrown([&, &used = use] { used(*this, placed.v); }) == is_stale);
            CHECK(mock.records().empty());
            CHECK(place(placed.v) == "both d");
            CHECK(place(view) == std::string(state) + " e");
            placed.v.gather();
            CHECK(copy_of(placed.v.read()) == placed.fresh);
            placed.v.to_device(*d);
            CHECK(placed.on_device() == placed.fresh);
            CHECK(thrown([&, &used = use] { used(*this, placed.v); }) == "ok");
        }
    }
}

TEST_CASE_METHOD(fixture, "Gathering drains what is newer on devices, and only that", "[R-224]") {
    placed_vector placed(*this, "both d");
    numbers_vector one = placed.v.view(0, 3);
    numbers_vector two = placed.v.view(3, 3);
    numbers_vector inner = two.view(1, 1);
    numbers_vector idle = placed.v.view(6, 2, *d);
    one.to_device(*e);
    inner.to_device(*e);
    inner.write_range(0, std::vector<std::int32_t>{-4});
    mock.forget();
    placed.v.gather();
    CHECK(copies(SPOC_BE_COPY_D2H) == 1);
    CHECK(place(one) == "stale_device e");
    CHECK(place(inner) == "stale_device e");
    CHECK(place(idle) == "stale_device d");
    CHECK(place(placed.v) == "stale_device d");
    CHECK(one.has_buffer(*e));
    placed.fresh[4] = -4;
    CHECK(copy_of(placed.v.read()) == placed.fresh);
    mock.forget();
    placed.v.gather();
    CHECK(mock.records().empty());
    // What was gathered may have been written since, so that the view is uploaded again.
    placed.v.set(4, 8);
    inner.to_device(*e);
    std::vector<std::int32_t> got(1);
    inner.read_range(0, got);
    CHECK(got[0] == 8);
}

TEST_CASE_METHOD(fixture, "A view that cannot be gathered keeps what it has", "[R-003][R-224]") {
    placed_vector placed(*this, "host");
    numbers_vector one = placed.v.view(0, 4);
    numbers_vector two = placed.v.view(4, 4);
    for (numbers_vector* const view : {&one, &two}) {
        view->to_device(*d);
        view->write_range(0, part(numbers(7), 0, 4));
    }
    mock.fail("copy", SPOC_BE_DRIVER, 1);
    CHECK(thrown([&] { placed.v.gather(); }) == "backend_error copy_failed");
    CHECK(place(one) == "stale_device d");
    CHECK(place(two) == "stale_host d");
    CHECK(thrown([&] { placed.v.read(); }) == is_stale);
    placed.v.gather();
    CHECK(placed.v.at(4) == 700);
}

TEST_CASE_METHOD(fixture, "Views that share elements stand in each other's way, others do not",
                 "[R-224]") {
    placed_vector placed(*this, "host");
    numbers_vector left = placed.v.view(0, 4);
    numbers_vector over = placed.v.view(3, 2);
    numbers_vector right = placed.v.view(4, 4);
    left.to_device(*d);
    CHECK(thrown([&] { over.to_device(*e); }) == is_stale);
    CHECK(thrown([&] { over.set(0, 1); }) == is_stale);
    right.to_device(*e);
    right.set(0, 1);
    CHECK(place(left) == "both d");
    placed.v.gather();
    over.to_device(*e);
    CHECK(place(over) == "both e");
}

TEST_CASE_METHOD(fixture, "What a vector has newer on a device its views see", "[R-222][R-224]") {
    placed_vector placed(*this, "both d");
    numbers_vector view = placed.v.view(2, 2);
    numbers_vector inner = view.view(1, 1);
    const auto write = [&] {
        placed.fresh = numbers(placed.fresh[0] / 100 + 1);
        placed.v.to_device(*d);
        placed.v.write_range(0, placed.fresh);
        REQUIRE(place(placed.v) == "stale_host d");
    };
    write();
    CHECK(inner.at(0) == placed.fresh[3]);
    CHECK(place(placed.v) == "both d");
    write();
    view.to_device(*e);
    std::vector<std::int32_t> got(2);
    view.read_range(0, got);
    CHECK(got == part(placed.fresh, 2, 2));
    placed.v.gather();
    write();
    view.to_host();
    CHECK(view.host_unsynced()[0] == placed.fresh[2]);
    write();
    // Every element of the view is overwritten, and those beside it are still the device's.
    inner.fill(-1);
    placed.fresh[3] = -1;
    CHECK(copy_of(placed.v.read()) == placed.fresh);
}

TEST_CASE_METHOD(fixture, "Without automatic synchronisation a view is not brought up to date",
                 "[R-222][R-224][H-08]") {
    placed_vector placed(*this, "both d");
    numbers_vector view = placed.v.view(2, 2);
    placed.v.write_range(0, numbers(6));
    const auto check = [&] {
        CHECK(thrown([&] { view.read(); }) == is_stale);
        CHECK(thrown([&] { view.set(0, 1); }) == is_stale);
        CHECK(thrown([&] { view.fill(1); }) == is_stale);
        CHECK(place(placed.v) == "stale_host d");
    };
    mock.forget();
    view.set_auto_sync(false);
    check();
    view.set_auto_sync(true);
    placed.v.set_auto_sync(false);
    check();
    placed.v.set_auto_sync(true);
    set_auto_sync(false);
    check();
    CHECK(mock.records().empty());
    view.to_host();
    CHECK(view.at(0) == 602);
}

TEST_CASE_METHOD(fixture, "What is written on the host is written by one", "[R-223][R-224]") {
    placed_vector placed(*this, "both d");
    numbers_vector view = placed.v.view(2, 2);
    numbers_vector other = placed.v.view(4, 2);
    mock.forget();
    {
        const host_writer<std::int32_t> writer = view.write();
        for (const auto& [name, use] : uses()) {
            CAPTURE(name);
            CHECK(thrown([&, &used = use] { used(*this, placed.v); }) == is_busy);
        }
        CHECK(thrown([&] { placed.v.gather(); }) == is_busy);
        other.set(0, 5);
    }
    {
        const host_writer<std::int32_t> writer = placed.v.write();
        CHECK(thrown([&] { view.read(); }) == is_busy);
        CHECK(thrown([&] { view.to_device(*e); }) == is_busy);
        CHECK(thrown([&] { placed.v.gather(); }) == is_busy);
    }
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "A view outlives its vector, and the memory both", "[R-224][R-225]") {
    std::vector<std::int32_t> memory = numbers(4);
    kept_alive owner;
    std::optional<numbers_vector> whole =
        numbers_vector::over(std::span(memory), owner.reference());
    std::optional<numbers_vector> middle = whole->view(1, 6);
    numbers_vector view = middle->view(1, 2);
    whole->to_device(*e);
    view.to_device(*d);
    middle.reset();
    CHECK(thrown([&] { whole->read(); }) == is_stale);
    view.set(0, 9);
    CHECK(place(view) == "stale_device d");
    CHECK(place(*whole) == "stale_device e");
    CHECK(whole->at(2) == 9);
    view.to_device(*d);
    whole->gather();
    CHECK(whole->at(2) == 9);
    view.to_device(*d);
    whole.reset();
    CHECK(owner.is_kept());
    CHECK(view.at(0) == 9);
    { const numbers_vector gone = std::move(view); }
    CHECK_FALSE(owner.is_kept());
}

TEST_CASE_METHOD(fixture, "A view that was destroyed is in nobody's way", "[R-224]") {
    placed_vector placed(*this, "host");
    {
        numbers_vector view = placed.v.view(0, 4);
        view.to_device(*d);
        CHECK(thrown([&] { placed.v.read(); }) == is_stale);
    }
    CHECK(copy_of(placed.v.read()) == placed.fresh);
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "Parts differ by one element at most, and cover the vector", "[R-224]") {
    const std::vector<device> devices{*d, *e, *d};
    for (const std::size_t used : {0U, 1U, 2U, 3U}) {
        for (const std::uint64_t count : {0U, 1U, 2U, 7U, 9U}) {
            CAPTURE(used, count);
            const numbers_vector whole(count);
            const auto parts = partition(whole, std::span(devices).first(used));
            REQUIRE(parts.size() == used);
            const std::int32_t* next = whole.host_unsynced().data();
            for (std::size_t i = 0; i < used; ++i) {
                CHECK(parts[i].size() == count / used + (i < count % used ? 1 : 0));
                CHECK(parts[i].host_unsynced().data() == next);
                CHECK(place(parts[i]) == (i == 1 ? "stale_device e" : "stale_device d"));
                next += parts[i].size();
            }
            CHECK((used == 0 || next == whole.host_unsynced().data() + count));
        }
    }
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "What two devices wrote to their parts is gathered into one", "[R-224]") {
    placed_vector placed(*this, "host");
    const std::vector<device> devices{*d, *e};
    auto parts = partition(placed.v, std::span<const device>(devices));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].to_device(devices[i]);
        parts[i].write_range(1, std::vector<std::int32_t>{-1 - static_cast<std::int32_t>(i)});
    }
    placed.v.gather();
    placed.fresh[1] = -1;
    placed.fresh[5] = -2;
    CHECK(copy_of(placed.v.read()) == placed.fresh);
}

TEST_CASE("In host memory views and vectors share it with the device too", "[R-219][R-224]") {
    two_devices on;
    on.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    on.begin();
    placed_vector placed(on, "both d");
    numbers_vector view = placed.v.view(2, 2);
    view.to_device(*on.d);
    CHECK(view.link(*on.d) == SPOC_LINK_HOST_STORAGE);
    on.mock.forget();
    view.write_range(0, std::vector<std::int32_t>{-1});
    CHECK(on.place(placed.v) == "stale_device d");
    placed.v.gather();
    placed.fresh[2] = -1;
    CHECK(copy_of(placed.v.read()) == placed.fresh);
    CHECK(on.copies(SPOC_BE_COPY_D2H) == 0);
}

TEST_CASE("What a kernel writes to a view in host memory its vector does not miss",
          "[R-219][R-224]") {
    two_devices on;
    on.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    on.begin();
    placed_vector placed(on, "host");
    placed.v.to_device(*on.e);
    {
        numbers_vector view = placed.v.view(2, 2);
        view.to_device(*on.d);
        // The kernel.
        view.host_unsynced()[0] = -1;
    }
    CHECK(on.place(placed.v) == "stale_device e");
    placed.fresh[2] = -1;
    placed.v.to_device(*on.e);
    CHECK(placed.on_device() == placed.fresh);
}

TEST_CASE_METHOD(fixture, "Threads use parts at once, one for each device", "[R-224]") {
    vector<std::int32_t> whole(2000);
    whole.fill(0);
    whole.to_device(*d);
    const std::vector<device> devices{*d, *e};
    auto parts = partition(whole, std::span<const device>(devices));
    std::array<std::thread, 2> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        threads[i] = std::thread([&, i] {
            const std::vector<std::int32_t> mark{static_cast<std::int32_t>(i) + 1};
            for (int round = 0; round < 50; ++round) {
                parts[i].to_device(devices[i]);
                parts[i].write_range(7, mark);
                parts[i].set(8, mark[0] + parts[i].at(7));
                const vector<std::int32_t> inner = parts[i].view(7, 2);
                if (inner.at(1) != 2 * mark[0]) {
                    std::abort();
                }
            }
        });
    }
    for (std::thread& one : threads) {
        one.join();
    }
    CHECK(place(whole) == "stale_device d");
    whole.gather();
    CHECK(whole.at(7) == 1);
    CHECK(whole.at(1008) == 4);
}

TEST_CASE("A view waits for work on the bytes that it shares", "[R-224][R-534]") {
    two_devices on;
    on.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    on.begin();
    placed_vector placed(on, "both d");
    numbers_vector view = placed.v.view(2, 2);
    const stream uses_all(*on.d, SPOC_STREAM_NON_BLOCKING);
    on.mock.hold();
    const std::vector<std::int32_t> data = numbers(9);
    placed.v.write_range(uses_all, 0, data);
    CHECK(view.at(0) == data[2]);
    placed.v.write_range(uses_all, 0, placed.fresh);
    view.to_device(*on.e);
    std::vector<std::int32_t> got(2);
    view.read_range(0, got);
    CHECK(got == part(placed.fresh, 2, 2));
    on.mock.release();
    uses_all.synchronize();
}

}  // namespace spoc::test
