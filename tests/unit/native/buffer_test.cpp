// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cstring>
#include <future>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "gate.hpp"
#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {
namespace {

int32_t create(plugin_fixture& fixture, uint32_t kind, uint64_t bytes) {
    auto desc = sized<spoc_be_buffer_desc>();
    desc.kind = kind;
    desc.bytes = bytes;
    auto result = sized<spoc_be_buffer_result>();
    return fixture.be.buffer_create(fixture.device, &desc, &result, &fixture.error);
}

}  // namespace

TEST_CASE_METHOD(plugin_fixture, "A device buffer is page-aligned and offers the host no address") {
    const uint64_t bytes = GENERATE(1U, 4096U, 4097U, 3U << 20);
    const auto made = make(SPOC_BE_BUFFER_DEVICE, bytes);
    CHECK(made.device_address != 0);
    CHECK(made.device_address % 4096 == 0);
    CHECK(made.host_address == nullptr);
    CHECK(made.allocated >= bytes);
    be.buffer_destroy(made.buffer, nullptr);
}

TEST_CASE_METHOD(plugin_fixture, "A unified buffer has one address for both sides") {
    const auto made = make(SPOC_BE_BUFFER_UNIFIED, 64);
    REQUIRE(made.host_address != nullptr);
    CHECK(made.device_address == reinterpret_cast<uintptr_t>(made.host_address));
    std::memcpy(made.host_address, "written by the host", 20);
    std::array<char, 20> back{};
    download(made.buffer, back.data(), back.size());
    CHECK(std::string(back.data()) == "written by the host");
    be.buffer_destroy(made.buffer, nullptr);
}

TEST_CASE_METHOD(plugin_fixture,
                 "A host range buffer is the range and leaves it alone at its end") {
    std::array<char, 33> range{};
    const auto made = make(SPOC_BE_BUFFER_HOST_RANGE, 31, range.data() + 1);
    CHECK(made.host_address == range.data() + 1);
    CHECK(made.device_address == reinterpret_cast<uintptr_t>(range.data() + 1));
    upload(made.buffer, "abc", 3);
    be.buffer_destroy(made.buffer, nullptr);
    CHECK(std::string(range.data() + 1) == "abc");
    CHECK(range[0] == 0);
}

TEST_CASE_METHOD(plugin_fixture, "A buffer kind that the backend lacks is unsupported") {
    const uint32_t kind = GENERATE(SPOC_BE_BUFFER_HOST_PTR, 17U);
    CHECK(create(*this, kind, 64) == SPOC_BE_UNSUPPORTED);
    CHECK(error.status == SPOC_BE_UNSUPPORTED);
    CHECK(std::strlen(error.message) > 0);
}

TEST_CASE_METHOD(plugin_fixture, "A buffer above what the system has is out of memory") {
    auto memory = sized<spoc_be_memory_info>();
    REQUIRE(be.device_memory(device, &memory, &error) == SPOC_BE_OK);
    const uint64_t bytes = GENERATE_COPY(memory.free + (uint64_t{1} << 30), uint64_t{1} << 63,
                                         std::numeric_limits<uint64_t>::max() - 1);
    const uint32_t kind = GENERATE(SPOC_BE_BUFFER_DEVICE, SPOC_BE_BUFFER_UNIFIED);
    CHECK(create(*this, kind, bytes) == SPOC_BE_OUT_OF_MEMORY);
    CHECK(error.asked == bytes);
    CHECK(error.limit > 0);
    CHECK(error.limit < bytes);
}

TEST_CASE_METHOD(plugin_fixture,
                 "A handle that cannot be allocated is host memory and leaks nothing") {
    host.exhausted = true;
    CHECK(create(*this, SPOC_BE_BUFFER_DEVICE, 64) == SPOC_BE_HOST_MEMORY);
    CHECK(create(*this, SPOC_BE_BUFFER_DEVICE, 4 << 20) == SPOC_BE_HOST_MEMORY);
    spoc_be_event none = nullptr;
    CHECK(be.event_create(device, 0, &none, &error) == SPOC_BE_HOST_MEMORY);
    CHECK(none == nullptr);
    host.exhausted = false;
}

TEST_CASE_METHOD(plugin_fixture,
                 "Page-locked memory is page-aligned, usable and at least as long as asked") {
    auto desc = sized<spoc_be_hostmem_desc>();
    desc.bytes = GENERATE(1U, 5000U, 2U << 20);
    auto made = sized<spoc_be_hostmem_result>();
    REQUIRE(be.pinned_alloc(device, &desc, &made, &error) == SPOC_BE_OK);
    CHECK(reinterpret_cast<uintptr_t>(made.host) % 4096 == 0);
    CHECK(made.bytes >= desc.bytes);
    std::memset(made.host, 1, made.bytes);
    CHECK(be.pinned_free(made.hostmem, &error) == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture, "A device buffer destroyed during a launch lasts until its end") {
    const spoc_be_kernel kernel = gate_kernel(*this);
    const auto made = make(SPOC_BE_BUFFER_DEVICE, 4 << 20);
    gate gate;
    auto launching = std::async(std::launch::async,
                                [&] { return gate.launch(kernel, default_stream, made.buffer); });
    gate.wait_until_entered();
    CHECK(be.buffer_destroy(made.buffer, &error) == SPOC_BE_OK);
    gate.open();  // the kernel writes to the buffer now
    CHECK(launching.get() == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture,
                 "Destroying a host range buffer waits for the launch that uses it") {
    const spoc_be_kernel kernel = gate_kernel(*this);
    std::vector<char> range(64);
    const auto made = make(SPOC_BE_BUFFER_HOST_RANGE, range.size(), range.data());
    gate gate;
    auto launching = std::async(std::launch::async,
                                [&] { return gate.launch(kernel, default_stream, made.buffer); });
    gate.wait_until_entered();
    std::atomic<bool> destroyed{false};
    std::thread destroying([&] {
        be.buffer_destroy(made.buffer, nullptr);
        destroyed = true;
        range.clear();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(destroyed);
    gate.open();
    CHECK(launching.get() == SPOC_BE_OK);
    destroying.join();
}

}  // namespace spoc::test
