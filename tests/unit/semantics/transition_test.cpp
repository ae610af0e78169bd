// SPDX-License-Identifier: Apache-2.0

/// \file
/// The rest of the table of transitions: what vector_location_test.cpp has no column or row for,
/// and random operations against a model. The rows of launches are with the tests of launches;
/// those of acquire_device_writes and publish_host_writes are in host_pointer_test.cpp.

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

class fixture : public two_devices {
 public:
    fixture() { begin(); }
};

/// An operation on a vector that lives on device d alone.
struct row {
    const char* name;
    std::function<std::string(two_devices&, spoc_vector)> operation;
    const char* answer;
    const char* place;
};

constexpr const char* refused = "invalid_argument device_only";

/// A vector and what it should hold.
class model {
 public:
    model(two_devices& on, std::uint32_t seed) : on_(on), random_(seed), v_(elements) {
        v_.fill(0);
        truth_.assign(elements, 0);
    }

    void step() {
        switch (below(12)) {
            case 0:
                return v_.to_device(somewhere());
            case 1:
                return v_.to_host(below(2) == 0);
            case 2:
                return v_.sync();
            case 3:
                return set();
            case 4:
                return fill();
            case 5:
                return write_range();
            case 6:
                return read_range();
            case 7:
                return v_.free_buffer(somewhere());
            case 8:
                return below(4) == 0 ? v_.free_all_buffers() : void();
            case 9:
                return blit_within();
            case 10:
                return write_view();
            default:
                CHECK(copy_of(v_.read()) == truth_);
        }
    }

    void check() { CHECK(copy_of(v_.read()) == truth_); }

 private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    const device& somewhere() { return below(2) == 0 ? *on_.d : *on_.e; }

    void set() {
        const std::size_t at = below(elements);
        truth_[at] = ++last_;
        v_.set(at, last_);
    }
    void fill() {
        v_.fill(++last_);
        truth_.assign(elements, last_);
    }
    void write_range() {
        const std::size_t first = below(elements);
        const std::vector<std::int32_t> data(1 + below(elements - first), ++last_);
        if (!v_.is_on_device()) {
            CHECK(thrown([&] { v_.write_range(first, data); }) == "invalid_argument location");
            return;
        }
        v_.write_range(first, data);
        std::copy(data.begin(), data.end(), truth_.begin() + static_cast<std::ptrdiff_t>(first));
    }
    void read_range() {
        std::vector<std::int32_t> got(elements);
        if (!v_.is_on_device()) {
            CHECK(thrown([&] { v_.read_range(0, got); }) == "invalid_argument location");
            return;
        }
        v_.read_range(0, got);
        CHECK(got == truth_);
    }
    void blit_within() {
        blit(v_, 0, v_, 2, 5);
        std::memmove(&truth_[2], &truth_[0], 5 * sizeof truth_[0]);
    }
    /// A view is written on a device or on the host, and gathered.
    void write_view() {
        vector<std::int32_t> view = v_.view(3, 2);
        truth_[3] = ++last_;
        if (below(2) == 0) {
            view.set(0, last_);
            return;
        }
        view.to_device(somewhere());
        view.write_range(0, std::vector<std::int32_t>{last_});
        v_.gather();
    }

    two_devices& on_;
    std::minstd_rand random_;
    vector<std::int32_t> v_;
    std::vector<std::int32_t> truth_;
    std::int32_t last_ = 0;
};

}  // namespace

TEST_CASE_METHOD(fixture, "On a vector on a device alone every operation has its answer",
                 "[R-002][R-208][R-221]") {
    const std::vector<row> rows = {
        {"read",
         [](two_devices&, spoc_vector v) {
             const void* data = nullptr;
             return told(spoc_vector_read, v, &data);
         },
         refused, "device d"},
        {"write",
         [](two_devices&, spoc_vector v) {
             void* data = nullptr;
             return told(spoc_vector_begin_write, v, 0U, &data);
         },
         refused, "device d"},
        {"fill",
         [](two_devices&, spoc_vector v) {
             void* data = nullptr;
             return told(spoc_vector_begin_write, v, SPOC_WRITE_ALL, &data);
         },
         refused, "device d"},
        {"to_device(d)",
         [](two_devices& on, spoc_vector v) { return told(spoc_vector_to_device, v, on.d->get()); },
         "ok", "device d"},
        {"to_device(e)",
         [](two_devices& on, spoc_vector v) { return told(spoc_vector_to_device, v, on.e->get()); },
         refused, "device d"},
        {"to_host", [](two_devices&, spoc_vector v) { return told(spoc_vector_to_host, v, 0); },
         refused, "device d"},
        {"to_host(force)",
         [](two_devices&, spoc_vector v) { return told(spoc_vector_to_host, v, 1); }, refused,
         "device d"},
        {"sync", [](two_devices&, spoc_vector v) { return told(spoc_vector_sync, v); }, refused,
         "device d"},
        {"view",
         [](two_devices&, spoc_vector v) {
             spoc_vector made = nullptr;
             return told(spoc_vector_view, v, 0UL, 1UL, spoc_device{nullptr}, &made);
         },
         refused, "device d"},
        {"attach",
         [](two_devices& on, spoc_vector v) {
             return told(spoc_vector_attach_host_pointer, v, on.e->get());
         },
         refused, "device d"},
        {"free_buffer(e)",
         [](two_devices& on, spoc_vector v) {
             return told(spoc_vector_free_buffer, v, on.e->get());
         },
         "ok", "device d"},
    };
    for (const row& tried : rows) {
        for (const bool auto_sync : {true, false}) {
            CAPTURE(std::string(tried.name), auto_sync);
            const device_vector<std::int32_t> v(*d, elements);
            set_auto_sync(auto_sync);
            mock.forget();
            CHECK(tried.operation(*this, v.get()) == tried.answer);
            CHECK(place(v) == tried.place);
            CHECK(mock.records().empty());
        }
    }
}

TEST_CASE_METHOD(fixture, "Without automatic synchronisation what is not old is used as ever",
                 "[R-208][R-222]") {
    for (const char* const state : {"host", "both d", "stale_host d", "stale_device d"}) {
        for (const bool process : {true, false}) {
            CAPTURE(std::string(state), process);
            const auto make = [&] {
                auto made = std::make_unique<placed_vector>(*this, state);
                process ? set_auto_sync(false) : made->v.set_auto_sync(false);
                mock.forget();
                return made;
            };
            const bool old = std::string(state) == "stale_host d";
            const std::string answer = old ? "invalid_argument stale_host" : "ok";
            const std::string written = std::string(state) == "host" ? "host"
                                        : old                        ? "stale_host d"
                                                                     : "stale_device d";
            auto placed = make();
            CHECK(thrown([&] { placed->v.read(); }) == answer);
            CHECK(place(placed->v) == state);
            CHECK(thrown([&] { placed->v.set(0, 1); }) == answer);
            CHECK(place(placed->v) == written);
            set_auto_sync(true);
            placed.reset();
            placed = make();
            CHECK(thrown([&] { placed->v.fill(1); }) == "ok");
            CHECK(place(placed->v) == (std::string(state) == "host" ? "host" : "stale_device d"));
            CHECK(mock.records().empty());
            set_auto_sync(true);
        }
    }
}

TEST_CASE_METHOD(fixture, "Whatever is done, a read shows what was written last", "[R-208]") {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        model tried(*this, seed);
        for (int i = 0; i < 60; ++i) {
            CAPTURE(i);
            tried.step();
        }
        tried.check();
        mock.forget();
    }
}

TEST_CASE("The same holds where devices share the host's memory", "[R-208][R-219]") {
    for (const std::uint32_t kind : {SPOC_BE_KIND_CPU, SPOC_BE_KIND_INTEGRATED}) {
        two_devices on;
        on.mock.gate.describe(0, kind);
        on.begin();
        for (std::uint32_t seed = 1; seed <= 20; ++seed) {
            CAPTURE(kind, seed);
            vector<std::int32_t> v(elements);
            v.fill(0);
            if (kind == SPOC_BE_KIND_INTEGRATED) {
                host_ptr_buffer<std::int32_t>::attach(v, *on.d);
            }
            std::minstd_rand random(seed);
            std::vector<std::int32_t> truth(elements, 0);
            for (std::int32_t i = 1; i <= 40; ++i) {
                CAPTURE(i);
                const std::size_t at = random() % elements;
                switch (random() % 5) {
                    case 0:
                        v.to_device(random() % 2 == 0 ? *on.d : *on.e);
                        break;
                    case 1:
                        v.set(at, i);
                        truth[at] = i;
                        break;
                    case 2:
                        if (v.is_on_device()) {
                            v.write_range(at, std::vector<std::int32_t>{i});
                            truth[at] = i;
                        }
                        break;
                    case 3:
                        if (v.is_on_device()) {
                            std::vector<std::int32_t> got(elements);
                            v.read_range(0, got);
                            CHECK(got == truth);
                        }
                        break;
                    default:
                        CHECK(copy_of(v.read()) == truth);
                }
            }
        }
    }
}

}  // namespace spoc::test
