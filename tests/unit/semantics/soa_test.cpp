// SPDX-License-Identifier: Apache-2.0

/// \file
/// Records as a structure of arrays. A ranged write stands for a kernel: it makes a device's copy
/// the newer one.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {

struct point {
    float x, y, z;
};
SPOC_FIELDS(point, x, y, z)

struct sample {
    std::int32_t id;
    double value;
};
SPOC_FIELDS(sample, id, value)

namespace {

constexpr std::uint64_t count = 4;

class fixture : public two_devices {
 public:
    fixture() { begin(); }

    /// The host writes record i as {i + seed, 10 i + seed, 100 i + seed}.
    void write(soa_vector<point>& v, float seed) {
        const host_writer<point> writer = v.overwrite();
        for (std::size_t i = 0; i < count; ++i) {
            const auto n = static_cast<float>(i);
            writer[i] = {n + seed, 10 * n + seed, 100 * n + seed};
        }
    }
    /// A kernel that is given the leaves writes field y of every record.
    void launch_leaves(soa_vector<point>& v, const device& where, float y) {
        v.use_leaves(where);
        v.leaf<1>().write_range(0, std::vector<float>(count, y));
    }
    /// A kernel that is given the records writes field z of record 1.
    void launch_packed(soa_vector<point>& v, const device& where, float z) {
        v.use_packed(where).write_bytes(sizeof(point) + offsetof(point, z),
                                        std::as_bytes(std::span(&z, 1)));
    }
};

/// To the bit, whatever the bits mean.
template <typename A, typename B>
bool same_bytes(const A& a, const B& b) {
    const auto left = std::as_bytes(std::span(&a, 1));
    const auto right = std::as_bytes(std::span(&b, 1));
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

}  // namespace

static_assert(field_count<point> == 3);
static_assert(field_count<sample> == 2);
static_assert(std::get<1>(detail::record_plan<sample>::fields).offset == offsetof(sample, value));
static_assert(std::is_same_v<soa_vector<sample>::leaf_type<1>, double>);

TEST_CASE_METHOD(fixture, "Fields are known by name and offset", "[R-202]") {
    CHECK(std::string(std::get<0>(detail::record_plan<sample>::fields).name) == "id");
    CHECK(std::string(std::get<2>(detail::record_plan<point>::fields).name) == "z");
    CHECK(std::get<2>(detail::record_plan<point>::fields).offset == offsetof(point, z));
}

TEST_CASE_METHOD(fixture, "Scattered and gathered, records are the same to the bit", "[R-231]") {
    soa_vector<point> points(2);
    const point odd{-0.0F, std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::denorm_min()};
    std::uint32_t signalling = 0x7F800001;
    point second{};
    std::memcpy(&second.y, &signalling, 4);
    {
        const host_writer<point> writer = points.overwrite();
        writer[0] = odd;
        std::memcpy(&writer[1], &second, sizeof second);
    }
    points.scatter();
    CHECK(same_bytes(points.leaf_as_it_is<1>().read()[1], signalling));
    {
        const auto cleared = points.overwrite();
        std::memset(cleared.span().data(), 0, 24);
    }
    points.gather();
    CHECK(same_bytes(points.read()[0], odd));
    CHECK(same_bytes(points.read()[1], second));

    soa_vector<sample> samples(3);
    {
        const host_writer<sample> writer = samples.overwrite();
        writer[0] = {1, 1.5};
        writer[1] = {-2, 2.5};
        writer[2] = {3, -3.5};
    }
    CHECK(samples.leaf<0>().at(1) == -2);
    CHECK(samples.leaf<1>().at(2) == -3.5);
    samples.leaf<1>().set(0, 9.5);
    CHECK(samples.read()[0].id == 1);
    CHECK(samples.read()[0].value == 9.5);
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "Scattering makes leaves on devices old", "[R-231][R-232][H-13]") {
    soa_vector<point> v(count);
    write(v, 1);
    launch_leaves(v, *d, 5);
    write(v, 2);
    v.scatter();
    CHECK(place(v.leaf_as_it_is<0>()) == "stale_device d");
    CHECK(place(v.leaf_as_it_is<1>()) == "stale_device d");
    v.use_leaves(*d);
    std::vector<float> got(count);
    v.leaf<1>().read_range(0, got);
    CHECK(got == std::vector<float>{2, 12, 22, 32});
}

TEST_CASE_METHOD(fixture, "Scattering shows no old records", "[R-222][R-231][H-08]") {
    soa_vector<point> v(count);
    write(v, 1);
    launch_packed(v, *d, 5);
    set_auto_sync(false);
    CHECK(thrown([&] { v.scatter(); }) == "invalid_argument stale_host");
    CHECK(thrown([&] { v.use_leaves(*d); }) == "invalid_argument stale_host");
    set_auto_sync(true);
    v.scatter();
    CHECK(v.leaf<2>().at(1) == 5);
}

TEST_CASE_METHOD(fixture, "Gathering writes the records on the host, and nothing else", "[R-231]") {
    soa_vector<point> v(count);
    write(v, 1);
    v.use_packed(*d);
    launch_leaves(v, *e, 5);
    v.gather();
    CHECK(place(v.packed_as_it_is()) == "stale_device d");
    CHECK(place(v.leaf_as_it_is<0>()) == "both e");
    CHECK(place(v.leaf_as_it_is<1>()) == "both e");
    CHECK(v.read()[2].y == 5);
    CHECK(v.read()[2].x == 3);
}

TEST_CASE_METHOD(fixture, "What leaves hold is read after they were freed or moved",
                 "[R-217][R-232][H-13]") {
    soa_vector<point> v(count);
    write(v, 1);
    launch_leaves(v, *d, 5);
    v.free_buffer(*e);
    v.free_buffer(*d);
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
    CHECK(v.read()[3].y == 5);
    launch_leaves(v, *d, 6);
    v.use_leaves(*e);
    v.free_all_buffers();
    CHECK(v.read()[3].y == 6);
    CHECK(v.read()[3].x == 4);
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "Leaves on one device and records on another follow each other",
                 "[R-230][R-232][H-13]") {
    soa_vector<point> v(count);
    write(v, 1);
    launch_leaves(v, *d, 5);
    launch_packed(v, *e, 7);
    v.free_buffer(*e);
    launch_packed(v, *d, 8);
    CHECK(v.read()[1].y == 5);
    CHECK(v.read()[1].z == 8);
    CHECK(v.read()[1].x == 2);
    launch_leaves(v, *e, 9);
    CHECK(v.read()[1].z == 8);
    CHECK(v.read()[1].y == 9);
}

TEST_CASE_METHOD(fixture, "The host wins where it wrote last", "[R-232]") {
    soa_vector<point> v(count);
    write(v, 1);
    launch_leaves(v, *d, 5);
    v.write()[0].x = -1;
    CHECK(v.read()[0].y == 5);
    launch_packed(v, *d, 7);
    CHECK(v.read()[0].x == -1);
    CHECK(v.read()[1].z == 7);
    launch_leaves(v, *d, 6);
    write(v, 3);
    launch_leaves(v, *d, 4);
    CHECK(v.read()[2].x == 5);
    CHECK(v.read()[2].y == 4);
}

TEST_CASE_METHOD(fixture, "Leaves that cannot be brought to the host leave the records",
                 "[R-003][R-232]") {
    soa_vector<point> v(count);
    write(v, 1);
    launch_leaves(v, *d, 5);
    mock.fail("copy");
    CHECK(thrown([&] { v.read(); }) == "backend_error copy_failed");
    CHECK(v.packed_as_it_is().read()[1].y == 11);
    CHECK(v.read()[1].y == 5);
}

TEST_CASE_METHOD(fixture, "Records that cannot be written leave the leaves the newer ones",
                 "[R-003][R-232]") {
    soa_vector<point> v(count);
    write(v, 1);
    {
        // The records are being written while a kernel writes the leaves.
        v.use_leaves(*d);
        const host_writer<point> writer = v.use_packed(*d).write();
        CHECK(thrown([&] { v.overwrite(); }) == "invalid_argument busy");
        CHECK(thrown([&] { v.use_leaves(*d); }) == "invalid_argument busy");
    }
    launch_leaves(v, *d, 5);
    spoc_vector records = v.packed_as_it_is().get();
    void* data = nullptr;
    REQUIRE(told(spoc_vector_begin_write, records, 0U, &data) == "ok");
    CHECK(thrown([&] { v.overwrite(); }) == "invalid_argument busy");
    REQUIRE(told(spoc_vector_end_write, records) == "ok");
    CHECK(v.read()[1].y == 5);
}

TEST_CASE_METHOD(fixture, "Records that existed are taken over", "[R-230]") {
    std::vector<point> memory{{1, 2, 3}, {4, 5, 6}};
    soa_vector<point> v(vector<point>::over(memory));
    CHECK(v.size() == 2);
    CHECK(soa_vector<point>::leaf_count == 3);
    CHECK(v.leaf<2>().at(1) == 6);
}

}  // namespace spoc::test
