// SPDX-License-Identifier: Apache-2.0

/// \file
/// Making, describing and freeing vectors; guards; vectors on one device alone; work in flight.

#include <array>
#include <complex>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

class fixture : public two_devices {
 public:
    fixture() { begin(); }
};

struct record {
    float x;
    std::int32_t n[2];
};

template <typename T>
std::pair<std::uint32_t, std::uint64_t> described() {
    const vector<T> made(3);
    const spoc_vector_info info = made.info();
    CHECK(info.count == 3);
    return {info.kind, info.element_bytes};
}

}  // namespace

TEST_CASE_METHOD(fixture, "Element kinds follow the type", "[R-201][R-202]") {
    using kind = std::pair<std::uint32_t, std::uint64_t>;
    CHECK(described<float16>() == kind{SPOC_KIND_FLOAT16, 2});
    CHECK(described<float>() == kind{SPOC_KIND_FLOAT32, 4});
    CHECK(described<double>() == kind{SPOC_KIND_FLOAT64, 8});
    CHECK(described<std::int32_t>() == kind{SPOC_KIND_INT32, 4});
    CHECK(described<std::int64_t>() == kind{SPOC_KIND_INT64, 8});
    CHECK(described<char>() == kind{SPOC_KIND_UINT8, 1});
    CHECK(described<std::byte>() == kind{SPOC_KIND_UINT8, 1});
    CHECK(described<std::complex<float>>() == kind{SPOC_KIND_COMPLEX32, 8});
    CHECK(described<record>() == kind{SPOC_KIND_RECORD, sizeof(record)});
}

TEST_CASE_METHOD(fixture, "A vector is made without asking a device", "[R-002][R-203]") {
    const vector<float> plain(10);
    CHECK(place(plain) == "host");
    const vector<float> hinted(10, *d);
    CHECK(place(hinted) == "stale_device d");
    CHECK_FALSE(hinted.has_buffer(*d));
    const vector<float> empty(0);
    CHECK(empty.size() == 0);
    CHECK(empty.read().empty());
    CHECK(thrown([] { const vector<double> made(std::uint64_t{1} << 62); }) ==
          "invalid_argument length");
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "Element sizes and kinds that do not exist are refused",
                 "[R-201][R-203]") {
    spoc_vector made = nullptr;
    CHECK(told(spoc_vector_create, SPOC_KIND_FLOAT32, 8UL, 1UL, spoc_device{nullptr}, &made) ==
          "invalid_argument length");
    CHECK(told(spoc_vector_create, SPOC_KIND_RECORD, 0UL, 1UL, spoc_device{nullptr}, &made) ==
          "invalid_argument length");
    CHECK(told(spoc_vector_create, 99U, 8UL, 1UL, spoc_device{nullptr}, &made) ==
          "invalid_argument kind");
    CHECK(made == nullptr);
}

TEST_CASE_METHOD(fixture, "An empty vector goes through every state without a call", "[R-203]") {
    vector<float> empty(0);
    empty.to_device(*d);
    CHECK(place(empty) == "both d");
    empty.fill(1);
    empty.sync();
    empty.free_buffer(*d);
    CHECK(place(empty) == "host");
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "A vector over memory shares it, and keeps its owner", "[R-204][R-411]") {
    std::vector<std::int32_t> memory = numbers(4);
    kept_alive owner;
    {
        vector<std::int32_t> v = vector<std::int32_t>::over(memory, owner.reference());
        v.set(2, 77);
        CHECK(memory[2] == 77);
        v.to_device(*d);
        memory[0] = -1;
        v.to_host(true);
        CHECK(memory[0] == 400);
        CHECK(owner.is_kept());
    }
    CHECK_FALSE(owner.is_kept());
}

TEST_CASE_METHOD(fixture, "Identities are unique, and stay when a vector moves", "[R-205]") {
    std::array<std::vector<std::uint64_t>, 4> made;
    std::vector<std::thread> threads;
    threads.reserve(made.size());
    for (auto& ids : made) {
        threads.emplace_back([&ids] {
            for (int i = 0; i < 500; ++i) {
                ids.push_back(vector<char>(1).id());
            }
        });
    }
    std::set<std::uint64_t> all;
    for (std::size_t i = 0; i < made.size(); ++i) {
        threads[i].join();
        all.insert(made[i].begin(), made[i].end());
    }
    CHECK(all.size() == 2000);
    vector<char> first(1);
    const std::uint64_t id = first.id();
    const vector<char> second(std::move(first));
    CHECK(second.id() == id);
}

TEST_CASE_METHOD(fixture, "Elements beyond the end are refused", "[R-210][R-211]") {
    vector<std::int32_t> v(elements);
    CHECK(thrown([&] { v.at(elements); }) == "invalid_argument bounds");
    CHECK(thrown([&] { v.set(elements, 1); }) == "invalid_argument bounds");
}

TEST_CASE_METHOD(fixture, "A read brings the whole vector once", "[R-210]") {
    placed_vector placed(*this, "stale_host d");
    mock.forget();
    CHECK(placed.v.at(0) == placed.fresh[0]);
    CHECK(placed.v.at(7) == placed.fresh[7]);
    const auto calls = mock.calls("copy");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].bytes == elements * 4);
}

TEST_CASE_METHOD(fixture, "While the host writes nothing is transferred", "[R-223]") {
    placed_vector placed(*this, "both d");
    mock.forget();
    {
        const host_writer<std::int32_t> writer = placed.v.write();
        writer[1] = 5;
        const std::vector<std::int32_t> some{1};
        std::vector<std::int32_t> got(1);
        CHECK(thrown([&] { placed.v.to_device(*e); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.to_host(true); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.sync(); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.write_range(0, some); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.read_range(0, got); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.free_buffer(*d); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.free_all_buffers(); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.read(); }) == "invalid_argument busy");
        CHECK(thrown([&] { placed.v.write(); }) == "invalid_argument busy");
        CHECK(place(placed.v) == "both d");
        CHECK(mock.records().empty());
    }
    CHECK(place(placed.v) == "stale_device d");
    placed.fresh[1] = 5;
    placed.v.to_device(*d);
    CHECK(placed.on_device() == placed.fresh);
    CHECK(told(spoc_vector_end_write, placed.v.get()) == "invalid_argument value");
}

TEST_CASE_METHOD(fixture, "A vector on a device alone has no host storage", "[R-220][R-221]") {
    device_vector<std::int32_t> v(*d, elements);
    CHECK(place(v) == "device d");
    CHECK(v.info().device_only == 1);
    CHECK(v.link(*d) == SPOC_LINK_SEPARATE);
    mock.forget();
    const void* read = nullptr;
    void* write = nullptr;
    const auto refused = std::string("invalid_argument device_only");
    CHECK(told(spoc_vector_read, v.get(), &read) == refused);
    CHECK(told(spoc_vector_begin_write, v.get(), 0U, &write) == refused);
    CHECK(told(spoc_vector_begin_write, v.get(), SPOC_WRITE_ALL, &write) == refused);
    CHECK(told(spoc_vector_host_unsynced, v.get(), &write) == refused);
    CHECK(told(spoc_vector_to_host, v.get(), 0) == refused);
    CHECK(told(spoc_vector_sync, v.get()) == refused);
    CHECK(told(spoc_vector_to_device, v.get(), e->get()) == refused);
    CHECK(told(spoc_vector_to_device, v.get(), d->get()) == "ok");
    CHECK(mock.records().empty());
    v.write_range(0, numbers(6));
    CHECK(place(v) == "device d");
    std::vector<std::int32_t> got(elements);
    v.read_range(0, got);
    CHECK(got == numbers(6));
}

TEST_CASE_METHOD(fixture, "A freed vector on a device alone is freed for good", "[R-217][R-221]") {
    device_vector<std::int32_t> v(*d, elements);
    v.free_buffer(*e);
    CHECK(v.info().freed == 0);
    mock.forget();
    v.free_buffer(*d);
    CHECK(v.info().freed == 1);
    CHECK(copies(SPOC_BE_COPY_D2H) == 0);
    v.free_buffer(*d);
    v.free_all_buffers();
    CHECK(mock.count("buffer_destroy") == 1);
    const std::vector<std::int32_t> one{1};
    std::vector<std::int32_t> got(1);
    CHECK(thrown([&] { v.write_range(0, one); }) == "invalid_argument freed");
    CHECK(thrown([&] { v.read_range(0, got); }) == "invalid_argument freed");
    CHECK(told(spoc_vector_to_device, v.get(), d->get()) == "invalid_argument freed");
}

TEST_CASE_METHOD(fixture, "A vector on a device alone has a length that fits", "[R-206][R-220]") {
    CHECK(thrown([&] { const device_vector<char> made(*d, 0); }) == "invalid_argument length");
    CHECK(thrown([&] { const device_vector<char> made(*d, SPOC_MOST_DEVICE_ELEMENTS + 1); }) ==
          "invalid_argument length");
    CHECK(thrown([&] { const device_vector<record> made(*d, 1); }) == "invalid_argument kind");
    CHECK(mock.count("buffer_create") == 0);
    mock.fail("buffer_create", SPOC_BE_OUT_OF_MEMORY, 0, 2);
    CHECK(thrown([&] { const device_vector<char> made(*d, 8); }) == "backend_error oom");
}

TEST_CASE_METHOD(fixture, "Buffers that enqueued work uses are not freed",
                 "[R-217][R-218][R-513]") {
    placed_vector placed(*this, "both d");
    placed.v.to_device(*e);
    placed.v.to_device(*d);
    const stream on(*d);
    mock.hold();
    const std::vector<std::int32_t> data = numbers(9);
    placed.v.write_range(on, 0, data);
    mock.forget();
    CHECK(thrown([&] { placed.v.free_buffer(*d); }) == "invalid_argument busy");
    CHECK(thrown([&] { placed.v.free_all_buffers(); }) == "invalid_argument busy");
    CHECK(placed.v.has_buffer(*e));
    CHECK(mock.records().empty());
    placed.v.free_buffer(*e);
    mock.release();
    on.synchronize();
    placed.v.free_buffer(*d);
    CHECK(copy_of(placed.v.read()) == data);
}

TEST_CASE_METHOD(fixture, "One buffer that cannot be freed does not keep the others", "[R-218]") {
    placed_vector placed(*this, "both d");
    placed.v.to_device(*e);
    mock.fail("buffer_destroy");
    CHECK(thrown([&] { placed.v.free_all_buffers(); }) == "backend_error driver");
    CHECK(place(placed.v) == "host");
    CHECK_FALSE(placed.v.has_buffer(*d));
    CHECK_FALSE(placed.v.has_buffer(*e));
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "Freeing what does not exist changes nothing", "[R-217]") {
    placed_vector placed(*this, "stale_host d");
    placed.v.free_buffer(*e);
    CHECK(copy_of(placed.v.read()) == placed.fresh);
    vector<float> hinted(4, *d);
    hinted.free_buffer(*d);
    CHECK(place(hinted) == "host");
}

TEST_CASE_METHOD(fixture, "After its buffer was freed a vector can go to the device again",
                 "[R-217]") {
    placed_vector placed(*this, "stale_host d");
    placed.v.free_buffer(*d);
    placed.v.to_host(true);
    placed.v.to_device(*d);
    CHECK(placed.on_device() == placed.fresh);
}

TEST_CASE_METHOD(fixture, "A vector destroyed in flight leaves its memory to the work",
                 "[R-225][H-01]") {
    const stream on(*d);
    const std::vector<std::int32_t> data = numbers(9);
    mock.hold();
    mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    {
        device_vector<std::int32_t> v(*d, elements);
        v.write_range(on, 0, data);
    }
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    CHECK(mock.count("stream_sync") == 0);
    mock.release();
    on.synchronize();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture,
                 "Implicit paths wait for the streams that use the vector, and only for "
                 "those",
                 "[R-530][R-531][R-534]") {
    placed_vector placed(*this, "both d");
    vector<std::int32_t> other(elements);
    other.fill(1);
    other.to_device(*d);
    const stream uses(*d, SPOC_STREAM_NON_BLOCKING);
    const stream unrelated(*d, SPOC_STREAM_NON_BLOCKING);
    mock.hold();
    const std::vector<std::int32_t> data = numbers(9);
    placed.v.write_range(uses, 0, data);
    other.write_range(unrelated, 0, data);
    mock.forget();
    CHECK(copy_of(placed.v.read()) == data);
    const auto waits = mock.calls("stream_sync");
    REQUIRE(waits.size() == 1);
    CHECK(mock.pending() == 1);
    mock.release();
    unrelated.synchronize();
}

TEST_CASE_METHOD(fixture, "A ranged copy on a stream settles nothing", "[R-405][R-530]") {
    placed_vector placed(*this, "both d");
    const stream one(*d, SPOC_STREAM_NON_BLOCKING);
    const stream two(*d, SPOC_STREAM_NON_BLOCKING);
    mock.hold();
    mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    const std::vector<std::int32_t> data = numbers(9);
    placed.v.write_range(one, 0, data);
    placed.v.write_range(two, 0, data);
    CHECK(mock.count("stream_sync") == 0);
    mock.on_wait(SPOC_MOCK_WAIT_RUN);
    mock.release();
    spoc::synchronize(*d);
}

TEST_CASE_METHOD(fixture, "Streams of other devices and closed ones are refused",
                 "[R-403][R-506]") {
    placed_vector placed(*this, "both d");
    stream on_e(*e);
    stream closed(*d);
    closed.close();
    mock.forget();
    const std::vector<std::int32_t> one{1};
    std::vector<std::int32_t> got(1);
    CHECK(thrown([&] { placed.v.write_range(on_e, 0, one); }) == "invalid_argument device");
    CHECK(thrown([&] { placed.v.read_range(on_e, 0, got); }) == "invalid_argument device");
    CHECK(thrown([&] { placed.v.write_range(closed, 0, one); }) == "invalid_argument destroyed");
    CHECK(thrown([&] { placed.v.write_range(elements, one); }) == "invalid_argument bounds");
    CHECK(thrown([&] { placed.v.read_range(elements, got); }) == "invalid_argument bounds");
    CHECK(told(spoc_vector_write_range, placed.v.get(), UINT64_MAX, one.data(), 2UL,
               spoc_stream{nullptr},
               static_cast<const spoc_owner*>(nullptr)) == "invalid_argument bounds");
    CHECK(place(placed.v) == "both d");
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "Ranges of records are written, staged and read like all others",
                 "[R-403][R-701]") {
    struct entry {
        std::int32_t number;
        char letters[8];
        bool operator==(const entry&) const = default;
    };
    const entry first{1, "one"};
    const entry second{2, "two"};
    const entry third{3, "three"};
    vector<entry> v(3);
    v.fill(first);
    v.to_device(*d);
    v.write_range(1, std::span(&second, 1));
    const stream on(*d);
    v.stage(on, 2, std::span(&third, 1));
    std::vector<entry> got(2);
    v.read_range(on, 1, got);
    on.synchronize();
    CHECK(got == std::vector{second, third});
    CHECK(place(v) == "stale_host d");
    CHECK(v.at(0) == first);
    CHECK(v.at(2) == third);
    CHECK(thrown([&] { v.write_range(3, std::span(&second, 1)); }) == "invalid_argument bounds");
}

TEST_CASE_METHOD(fixture, "A failed transfer leaves the state and the buffers as they were",
                 "[R-003][R-214]") {
    placed_vector placed(*this, "stale_host d");
    mock.fail("copy");
    CHECK(thrown([&] { placed.v.to_host(); }) == "backend_error copy_failed");
    CHECK(place(placed.v) == "stale_host d");
    mock.fail("buffer_create", SPOC_BE_OUT_OF_MEMORY, 0, 2);
    CHECK(thrown([&] { placed.v.to_device(*e); }) == "backend_error oom");
    CHECK(place(placed.v) == "stale_host d");
    mock.fail("copy", SPOC_BE_DRIVER, 1);
    CHECK(thrown([&] { placed.v.to_device(*e); }) == "backend_error copy_failed");
    CHECK(place(placed.v) == "stale_host d");
    CHECK_FALSE(placed.v.has_buffer(*e));
    mock.fail("copy");
    CHECK(thrown([&] { placed.v.free_buffer(*d); }) == "backend_error copy_failed");
    CHECK(placed.v.has_buffer(*d));
    CHECK(copy_of(placed.v.read()) == placed.fresh);
}

TEST_CASE("On a device in host memory a vector's buffer is its host storage",
          "[R-219][R-220][R-301][R-304][R-402]") {
    two_devices on;
    on.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    on.begin();
    vector<std::int32_t> v(elements);
    v.fill(4);
    v.to_device(*on.d);
    CHECK(v.link(*on.d) == SPOC_LINK_HOST_STORAGE);
    CHECK(on.place(v) == "both d");
    v.write_range(1, std::vector<std::int32_t>{9});
    CHECK(on.place(v) == "both d");
    CHECK(v.at(1) == 9);
    v.set(2, 8);
    std::vector<std::int32_t> got(3);
    v.read_range(0, got);
    CHECK(got == std::vector<std::int32_t>{4, 9, 8});
    device_vector<std::int32_t> alone(*on.d, elements);
    CHECK(on.place(alone) == "both d");
    CHECK(alone.info().device_only == 0);
}

}  // namespace spoc::test
