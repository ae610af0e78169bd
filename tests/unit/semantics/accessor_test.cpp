// SPDX-License-Identifier: Apache-2.0

/// \file
/// What vectors and devices say of themselves, and rules that hold by how a device is described.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pages.hpp"
#include "vector_fixture.hpp"

namespace spoc::test {

TEST_CASE("A vector tells its state, and telling changes nothing", "[R-207]") {
    two_devices on;
    on.begin();
    const struct {
        std::string state;
        std::uint32_t location;
        bool has_buffer;
    } wanted[] = {{"host", SPOC_LOCATION_HOST, false},
                  {"both d", SPOC_LOCATION_BOTH, true},
                  {"stale_host d", SPOC_LOCATION_STALE_HOST, true},
                  {"stale_device d", SPOC_LOCATION_STALE_DEVICE, true}};
    for (const auto& [state, location, has_buffer] : wanted) {
        CAPTURE(state);
        const placed_vector one(on, state);
        on.mock.forget();
        for (int again = 0; again < 2; ++again) {
            CHECK(one.v.location() == location);
            CHECK(one.v.size() == elements);
            CHECK(one.v.info().kind == SPOC_KIND_INT32);
            CHECK(one.v.info().element_bytes == 4);
            CHECK(one.v.info().auto_sync == 1);
            CHECK(one.v.info().device_only == 0);
            CHECK((one.v.info().device == nullptr) == (location == SPOC_LOCATION_HOST));
            CHECK(one.v.has_buffer(*on.d) == has_buffer);
            CHECK_FALSE(one.v.has_buffer(*on.e));
        }
        CHECK(on.mock.records().empty());
        CHECK(on.place(one.v) == state);
    }
    const device_vector<std::int32_t> alone(*on.d, elements);
    CHECK(alone.location() == SPOC_LOCATION_DEVICE);
    CHECK(alone.info().device_only == 1);
}

TEST_CASE("That a device is a CPU does not make its memory the host's", "[R-109][R-110]") {
    two_devices on;
    on.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    on.mock.set_capability(SPOC_BE_CAP_BUFFER_HOST_RANGE, SPOC_MOCK_NO, 0);
    on.mock.gate.describe(1, SPOC_BE_KIND_CPU);
    on.begin();
    vector<std::int32_t> v(elements);
    v.fill(1);
    v.to_device(*on.d);
    CHECK(v.link(*on.d) == SPOC_LINK_SEPARATE);
    CHECK(on.copies(SPOC_BE_COPY_H2D) == 1);
    // What the host writes behind the library's back does not reach the device.
    v.host_unsynced()[0] = 2;
    std::vector<std::int32_t> got(1);
    v.read_range(0, got);
    CHECK(got[0] == 1);
    // The other one is in host memory: no copy, and the same bytes.
    on.mock.forget();
    v.fill(3);
    v.to_device(*on.e);
    CHECK(v.link(*on.e) == SPOC_LINK_HOST_STORAGE);
    CHECK(on.mock.count("copy") == 0);
}

TEST_CASE("A framework's variants are treated as the framework, and no other name is",
          "[R-111][R-620]") {
    for (const auto& [framework, wanted] :
         {std::pair<const char*, const char*>{"Vulkan", "feature_not_supported none"},
          {"Vulkan/SPIR-V", "feature_not_supported none"},
          {"Vulkanic", "ok"},
          {"Mock/Vulkan", "ok"}}) {
        CAPTURE(framework);
        recorded_runtime runtime;
        std::memset(runtime.mock.device().framework, 0, sizeof runtime.mock.device().framework);
        std::memcpy(runtime.mock.device().framework, framework, std::strlen(framework));
        const device dev(runtime.start());
        pages own(1);
        CHECK(thrown([&] { const host_registration made(dev, own.part(0, 1)); }) == wanted);
    }
}

TEST_CASE_METHOD(held_device, "Waiting for a device completes every stream and frees what it used",
                 "[R-115][R-511]") {
    const auto data = bytes(64);
    std::vector<stream> streams;
    streams.emplace_back(dev());
    streams.emplace_back(dev(), SPOC_STREAM_NON_BLOCKING);
    streams.push_back(stream::default_of(dev()));
    std::vector<buffer> targets;
    mock.hold();
    for (const stream& on : streams) {
        targets.emplace_back(dev(), 64);
        copy_to_device(on, data, targets.back());
    }
    for (buffer& target : targets) {
        CHECK(thrown([&] { target.free(); }) == "invalid_argument busy");
    }
    synchronize(dev());
    CHECK(mock.pending() == 0);
    for (buffer& target : targets) {
        CHECK(thrown([&] { target.free(); }) == "ok");
    }
}

TEST_CASE("Where streams are independent, a blocking one is waited for like any other",
          "[R-532][R-530]") {
    two_devices on;
    on.mock.set_capability(SPOC_BE_CAP_STREAM_BLOCKING, SPOC_MOCK_NO, 0);
    on.begin();
    vector<std::int32_t> v(elements);
    v.fill(1);
    v.to_device(*on.d);
    const stream blocking(*on.d);
    const auto written = numbers(5);
    on.mock.hold();
    on.mock.on_wait(SPOC_MOCK_WAIT_RUN);
    v.write_range(blocking, 0, written);
    on.mock.forget();
    CHECK(copy_of(v.read()) == written);
    CHECK(on.mock.count("stream_sync") == 1);
}

TEST_CASE_METHOD(held_device, "Floats of 16 bits are page-locked and copied like others",
                 "[R-602]") {
    pinned_buffer<float16> memory(dev(), 100);
    memory[99] = float16{0x3C00};
    vector<float16> v(100);
    v.fill(float16{0});
    v.to_device(dev());
    v.write_range(0, memory.elements());
    CHECK(mock.calls("copy").back().hostmem != 0);
    CHECK(v.at(99).bits == 0x3C00);
}

TEST_CASE_METHOD(held_device, "A vector over a page-locked range keeps it, and copies it directly",
                 "[R-638][R-204]") {
    auto memory = std::make_shared<pinned_buffer<std::int32_t>>(dev(), elements);
    const std::weak_ptr<pinned_buffer<std::int32_t>> seen = memory;
    const auto range = memory->elements();
    {
        auto v = vector<std::int32_t>::over(range, memory);
        memory.reset();
        v.fill(4);
        v.to_device(dev());
        CHECK(mock.calls("copy").back().hostmem != 0);
        CHECK(range[7] == 4);
        CHECK_FALSE(seen.expired());
    }
    CHECK(seen.expired());
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
}

}  // namespace spoc::test
