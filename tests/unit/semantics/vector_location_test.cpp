// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of transitions: what each operation leaves of each state, and what it moves.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

/// What an operation leaves: a state or an error, and how many copies it took.
struct after {
    std::string place;
    std::uint64_t ups = 0;
    std::uint64_t downs = 0;
};

struct row {
    const char* name;
    std::function<void(two_devices&, vector<std::int32_t>&)> operation;
    after host;
    after both;
    after stale_host;
    after stale_device;
};

class fixture : public two_devices {
 public:
    fixture() { begin(); }

    /// The operation on a vector in `state`; nobody is shown old elements afterwards.
    void check(const row& tried, const std::string& state, const after& expected) {
        CAPTURE(std::string(tried.name), state);
        placed_vector placed(*this, state);
        const std::vector<std::int32_t> before = placed.fresh;
        mock.forget();
        const std::string found = thrown([&] { tried.operation(*this, placed.v); });
        CHECK((found == "ok" ? place(placed.v) : found) == expected.place);
        CHECK(copies(SPOC_BE_COPY_H2D) == expected.ups);
        CHECK(copies(SPOC_BE_COPY_D2H) == expected.downs);
        set_auto_sync(true);
        placed.v.set_auto_sync(true);
        if (!changes_elements) {
            CHECK(copy_of(placed.v.read()) == before);
            placed.v.to_device(*d);
            CHECK(placed.on_device() == before);
        }
    }

    void check(const row& tried) {
        check(tried, "host", tried.host);
        check(tried, "both d", tried.both);
        check(tried, "stale_host d", tried.stale_host);
        check(tried, "stale_device d", tried.stale_device);
    }

    bool changes_elements = false;
};

}  // namespace

TEST_CASE_METHOD(fixture, "Whole vectors move as the table of transitions says",
                 "[R-208][R-214][R-215]") {
    const std::vector<row> rows = {
        {"to_device(d)",
         [](two_devices& on, auto& v) { v.to_device(*on.d); },
         {"both d", 1, 0},
         {"both d", 0, 0},
         {"stale_host d", 0, 0},
         {"both d", 1, 0}},
        {"to_device(e)",
         [](two_devices& on, auto& v) { v.to_device(*on.e); },
         {"both e", 1, 0},
         {"both e", 1, 0},
         {"both e", 1, 1},
         {"both e", 1, 0}},
        {"to_host",
         [](two_devices&, auto& v) { v.to_host(); },
         {"host", 0, 0},
         {"both d", 0, 0},
         {"both d", 0, 1},
         {"stale_device d", 0, 0}},
        {"to_host(force)",
         [](two_devices&, auto& v) { v.to_host(true); },
         {"host", 0, 0},
         {"both d", 0, 1},
         {"both d", 0, 1},
         {"stale_device d", 0, 0}},
        {"sync",
         [](two_devices&, auto& v) { v.sync(); },
         {"host", 0, 0},
         {"both d", 0, 0},
         {"both d", 0, 1},
         {"both d", 1, 0}},
    };
    for (const row& tried : rows) {
        check(tried);
    }
}

TEST_CASE_METHOD(fixture, "Buffers are freed as the table of transitions says",
                 "[R-208][R-217][R-218]") {
    const std::vector<row> rows = {
        {"free_buffer(d)",
         [](two_devices& on, auto& v) { v.free_buffer(*on.d); },
         {"host", 0, 0},
         {"host", 0, 0},
         {"host", 0, 1},
         {"host", 0, 0}},
        {"free_buffer(e)",
         [](two_devices& on, auto& v) { v.free_buffer(*on.e); },
         {"host", 0, 0},
         {"both d", 0, 0},
         {"stale_host d", 0, 0},
         {"stale_device d", 0, 0}},
        {"free_all_buffers",
         [](two_devices&, auto& v) { v.free_all_buffers(); },
         {"host", 0, 0},
         {"host", 0, 0},
         {"host", 0, 1},
         {"host", 0, 0}},
    };
    for (const row& tried : rows) {
        check(tried);
    }
    mock.forget();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "The host reads the newest elements, whatever the state",
                 "[R-208][R-210]") {
    const std::vector<row> rows = {
        {"get",
         [](two_devices&, auto& v) { v.at(1); },
         {"host", 0, 0},
         {"both d", 0, 0},
         {"both d", 0, 1},
         {"stale_device d", 0, 0}},
        {"read",
         [](two_devices&, auto& v) { v.read(); },
         {"host", 0, 0},
         {"both d", 0, 0},
         {"both d", 0, 1},
         {"stale_device d", 0, 0}},
    };
    for (const row& tried : rows) {
        check(tried);
    }
}

TEST_CASE_METHOD(fixture, "Without automatic synchronisation old elements are refused, not shown",
                 "[R-208][R-222][H-41]") {
    const after old{"invalid_argument stale_host", 0, 0};
    const std::vector<row> rows = {
        {"get, the vector's switch",
         [](two_devices&, auto& v) {
             v.set_auto_sync(false);
             v.at(1);
         },
         {"host", 0, 0},
         {"both d", 0, 0},
         old,
         {"stale_device d", 0, 0}},
        {"get, the process's switch",
         [](two_devices&, auto& v) {
             set_auto_sync(false);
             v.at(1);
         },
         {"host", 0, 0},
         {"both d", 0, 0},
         old,
         {"stale_device d", 0, 0}},
    };
    for (const row& tried : rows) {
        check(tried);
    }
    changes_elements = true;
    check({"set",
           [](two_devices&, auto& v) {
               set_auto_sync(false);
               v.set(1, 5);
           },
           {"host", 0, 0},
           {"stale_device d", 0, 0},
           old,
           {"stale_device d", 0, 0}});
}

TEST_CASE_METHOD(fixture, "What the host writes is the newest", "[R-208][R-211][R-212]") {
    changes_elements = true;
    check({"set",
           [](two_devices&, auto& v) { v.set(1, 5); },
           {"host", 0, 0},
           {"stale_device d", 0, 0},
           {"stale_device d", 0, 1},
           {"stale_device d", 0, 0}});
    check({"fill",
           [](two_devices&, auto& v) { v.fill(5); },
           {"host", 0, 0},
           {"stale_device d", 0, 0},
           {"stale_device d", 0, 0},
           {"stale_device d", 0, 0}});
}

TEST_CASE_METHOD(fixture, "Ranges are copied only where the device's copy is up to date",
                 "[R-208][R-401][R-402][R-403]") {
    const after refused{"invalid_argument location", 0, 0};
    changes_elements = true;
    const std::vector<std::int32_t> two{7, 8};
    check({"write_range",
           [&](two_devices&, auto& v) { v.write_range(2, two); },
           refused,
           {"stale_host d", 1, 0},
           {"stale_host d", 1, 0},
           refused});
    check({"write_range of nothing",
           [&](two_devices&, auto& v) { v.write_range(2, {}); },
           refused,
           {"both d", 0, 0},
           {"stale_host d", 0, 0},
           refused});
    changes_elements = false;
    std::vector<std::int32_t> got(2);
    check({"read_range",
           [&](two_devices&, auto& v) { v.read_range(2, got); },
           refused,
           {"both d", 0, 1},
           {"stale_host d", 0, 1},
           refused});
}

TEST_CASE_METHOD(fixture, "An element that the host sets stands beside those that the device wrote",
                 "[R-211]") {
    placed_vector placed(*this, "stale_host d");
    placed.v.set(3, -1);
    placed.fresh[3] = -1;
    CHECK(copy_of(placed.v.read()) == placed.fresh);
    placed.v.to_device(*d);
    CHECK(placed.on_device() == placed.fresh);
}

TEST_CASE_METHOD(fixture, "A range written on the device is seen by the host", "[R-402][R-404]") {
    placed_vector placed(*this, "both d");
    placed.v.write_range(2, std::vector<std::int32_t>{7, 8});
    placed.fresh[2] = 7;
    placed.fresh[3] = 8;
    CHECK(copy_of(placed.v.read()) == placed.fresh);
}

TEST_CASE_METHOD(fixture, "What a device has moves to another device", "[R-214]") {
    placed_vector placed(*this, "stale_host d");
    placed.v.to_device(*e);
    CHECK(placed.on_device() == placed.fresh);
    CHECK(placed.v.has_buffer(*d));
    CHECK(copy_of(placed.v.read()) == placed.fresh);
}

TEST_CASE_METHOD(fixture, "A forced read sees what was written behind the library's back",
                 "[R-215]") {
    placed_vector placed(*this, "both d");
    // The recording plugin lets a test name the buffer, as a program outside the library would.
    const std::uint64_t number = mock.calls("buffer_create").back().dst;
    CHECK(number != 0);
    placed.v.host_unsynced()[0] = -5;
    placed.v.to_host();
    CHECK(placed.v.read()[0] == -5);
    placed.v.to_host(true);
    CHECK(copy_of(placed.v.read()) == placed.fresh);
}

}  // namespace spoc::test
