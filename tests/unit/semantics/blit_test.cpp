// SPDX-License-Identifier: Apache-2.0

/// \file
/// Copies between the host's copies of vectors, predicates, and offsets in elements.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

using numbers_vector = vector<std::int32_t>;

class fixture : public two_devices {
 public:
    fixture() { begin(); }
};

}  // namespace

TEST_CASE_METHOD(fixture, "Ranges of one vector are moved, also where they overlap",
                 "[R-213][H-15]") {
    for (const std::uint64_t from : {0U, 1U, 2U, 3U}) {
        for (const std::uint64_t to : {0U, 1U, 2U, 3U}) {
            CAPTURE(from, to);
            placed_vector placed(*this, "host");
            std::memmove(&placed.fresh[to], &placed.fresh[from], 5 * sizeof(std::int32_t));
            blit(placed.v, from, placed.v, to, 5);
            CHECK(copy_of(placed.v.read()) == placed.fresh);
        }
    }
    // The same through views of one vector.
    placed_vector placed(*this, "host");
    const numbers_vector left = placed.v.view(0, 5);
    numbers_vector right = placed.v.view(2, 5);
    std::memmove(&placed.fresh[2], &placed.fresh[0], 5 * sizeof(std::int32_t));
    blit(left, 0, right, 0, 5);
    CHECK(copy_of(placed.v.read()) == placed.fresh);
}

TEST_CASE_METHOD(fixture, "A destination is brought up to date where elements of it stay",
                 "[R-213]") {
    placed_vector source(*this, "host");
    for (const bool whole : {false, true}) {
        CAPTURE(whole);
        placed_vector placed(*this, "stale_host d");
        mock.forget();
        blit(source.v, 0, placed.v, 0, whole ? elements : 3);
        CHECK(copies(SPOC_BE_COPY_D2H) == (whole ? 0 : 1));
        CHECK(place(placed.v) == "stale_device d");
        std::copy_n(source.fresh.begin(), whole ? 8 : 3, placed.fresh.begin());
        CHECK(copy_of(placed.v.read()) == placed.fresh);
    }
    placed_vector newer(*this, "stale_host d");
    numbers_vector plain(elements);
    plain.fill(0);
    blit(newer.v, 0, plain, 0, elements);
    CHECK(place(plain) == "host");
    CHECK(place(newer.v) == "both d");
    CHECK(copy_of(plain.read()) == newer.fresh);
}

TEST_CASE_METHOD(fixture, "Moves that cannot be made are refused, and change nothing",
                 "[R-002][R-004][R-213]") {
    placed_vector one(*this, "stale_host d");
    placed_vector two(*this, "stale_host d");
    device_vector<std::int32_t> alone(*d, elements);
    vector<float> other(elements);
    mock.forget();
    const auto tried = [&](const auto& from, std::uint64_t first, const auto& to, std::uint64_t at,
                           std::uint64_t count) {
        return told(spoc_vector_blit, from.get(), first, to.get(), at, count);
    };
    CHECK(tried(one.v, 4, two.v, 0, 5) == "invalid_argument bounds");
    CHECK(tried(one.v, 0, two.v, 4, 5) == "invalid_argument bounds");
    CHECK(tried(one.v, UINT64_MAX, two.v, 0, 2) == "invalid_argument bounds");
    CHECK(tried(one.v, 0, two.v, 1, UINT64_MAX) == "invalid_argument bounds");
    CHECK(tried(one.v, 0, other, 0, 1) == "invalid_argument kind");
    CHECK(tried(alone, 0, two.v, 0, 1) == "invalid_argument device_only");
    CHECK(tried(one.v, 0, alone, 0, 1) == "invalid_argument device_only");
    CHECK(tried(one.v, 8, two.v, 8, 0) == "ok");
    set_auto_sync(false);
    CHECK(tried(one.v, 0, two.v, 0, 1) == "invalid_argument stale_host");
    CHECK(place(one.v) == "stale_host d");
    CHECK(place(two.v) == "stale_host d");
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "A copy holds the newest elements, in memory of its own",
                 "[R-213][R-222]") {
    placed_vector placed(*this, "stale_host d");
    numbers_vector made = placed.v.copy();
    CHECK(place(made) == "host");
    CHECK(made.id() != placed.v.id());
    made.set(0, -1);
    CHECK(copy_of(placed.v.read()) == placed.fresh);
    CHECK(made.at(1) == placed.fresh[1]);
    CHECK(numbers_vector(0).copy().size() == 0);
    placed_vector old(*this, "stale_host d");
    old.v.set_auto_sync(false);
    CHECK(thrown([&] { old.v.copy(); }) == "invalid_argument stale_host");
    device_vector<std::int32_t> alone(*d, elements);
    spoc_vector none = nullptr;
    CHECK(told(spoc_vector_copy, alone.get(), &none) == "invalid_argument device_only");
    CHECK(none == nullptr);
}

TEST_CASE_METHOD(fixture, "Predicates follow the state", "[R-207]") {
    struct answers {
        const char* state;
        bool on_host, on_device, synced, device_old, host_old;
    };
    for (const answers& right : {answers{"host", true, false, false, false, false},
                                 answers{"both d", true, true, true, false, false},
                                 answers{"stale_host d", false, true, false, false, true},
                                 answers{"stale_device d", true, false, false, true, false}}) {
        CAPTURE(right.state);
        const placed_vector placed(*this, right.state);
        CHECK(placed.v.is_on_host() == right.on_host);
        CHECK(placed.v.is_on_device() == right.on_device);
        CHECK(placed.v.is_synced() == right.synced);
        CHECK(placed.v.needs_device_update() == right.device_old);
        CHECK(placed.v.needs_host_update() == right.host_old);
        CHECK(placed.v.named_device().has_value() == (std::string(right.state) != "host"));
    }
    const device_vector<float> alone(*e, 4);
    CHECK_FALSE(alone.is_on_host());
    CHECK(alone.is_on_device());
    CHECK_FALSE(alone.is_synced());
    CHECK(alone.needs_host_update());
    CHECK(alone.named_device() == *e);
}

TEST_CASE_METHOD(fixture, "An element's offset does not wrap", "[R-004][B66][B67]") {
    placed_vector placed(*this, "both d");
    mock.forget();
    const std::vector<std::int32_t> one{1};
    std::vector<std::int32_t> got(1);
    for (const std::uint64_t first : {std::uint64_t{1} << 62, (std::uint64_t{1} << 62) + 1}) {
        CHECK(thrown([&] { placed.v.write_range(first, one); }) == "invalid_argument bounds");
        CHECK(thrown([&] { placed.v.read_range(first, got); }) == "invalid_argument bounds");
    }
    CHECK(mock.records().empty());
}

}  // namespace spoc::test
