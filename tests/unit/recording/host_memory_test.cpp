// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

using spoc::test::be_sized;
using spoc::test::plugin_fixture;

namespace {

struct block_fixture : plugin_fixture {
    std::int32_t allocate(std::uint64_t bytes) {
        auto desc = be_sized<spoc_be_hostmem_desc>();
        desc.bytes = bytes;
        made = be_sized<spoc_be_hostmem_result>();
        return be.pinned_alloc(device(), &desc, &made, &error);
    }
    std::int32_t register_range(void* start, std::uint64_t bytes, std::uint32_t flags = 0) {
        auto desc = be_sized<spoc_be_hostmem_desc>();
        desc.bytes = bytes;
        desc.host = start;
        desc.flags = flags;
        made = be_sized<spoc_be_hostmem_result>();
        return be.host_register(device(), &desc, &made, &error);
    }
    std::uint32_t query(const void* start, std::uint64_t bytes) {
        std::uint32_t flags = 99;
        REQUIRE(be.host_query(device(), start, bytes, &flags, &error) == SPOC_BE_OK);
        return flags;
    }

    spoc_be_hostmem_result made{};
};

}  // namespace

TEST_CASE("page-locked memory is page-aligned and has a budget") {
    block_fixture it;
    it.open();
    it.mock.set(SPOC_MOCK_PINNED_BUDGET, 100);
    REQUIRE(it.allocate(60) == SPOC_BE_OK);
    spoc_be_hostmem first = it.made.hostmem;
    CHECK(reinterpret_cast<std::uintptr_t>(it.made.host) % 4096 == 0);
    CHECK(it.allocate(41) == SPOC_BE_OUT_OF_MEMORY);
    CHECK(it.be.pinned_free(first, &it.error) == SPOC_BE_OK);
    CHECK(it.allocate(100) == SPOC_BE_OK);
    CHECK(it.be.pinned_free(it.made.hostmem, &it.error) == SPOC_BE_OK);
}

TEST_CASE("a copy names the block that its host side lies in") {
    block_fixture it;
    it.open();
    REQUIRE(it.allocate(8) == SPOC_BE_OK);
    spoc_be_buffer buffer = it.buffer(4);
    auto range = it.upload_range(buffer, static_cast<char*>(it.made.host) + 2, 4);
    range.hostmem = it.made.hostmem;
    range.host_offset = 2;
    CHECK(it.copy(it.default_stream(), SPOC_BE_COPY_H2D, {range}) == SPOC_BE_OK);
    CHECK(it.mock.calls("copy").back().hostmem == it.mock.calls("pinned_alloc").back().hostmem);
    CHECK(it.mock.calls("copy").back().host_offset == 2);
    range.host_offset = 3;
    CHECK(it.copy(it.default_stream(), SPOC_BE_COPY_H2D, {range}) == SPOC_BE_INVALID);
    CHECK(it.expected_breaches().size() == 1);
    it.be.pinned_free(it.made.hostmem, nullptr);
}

TEST_CASE("held work that uses memory that was let go is noticed, also under a recycled handle") {
    const bool recycles = GENERATE(false, true);
    block_fixture it;
    it.open();
    it.mock.set(SPOC_MOCK_RECYCLES, recycles ? 1 : 0);
    it.mock.hold();
    std::vector<char> memory(16);
    REQUIRE(it.register_range(memory.data(), 16) == SPOC_BE_OK);
    spoc_be_buffer buffer = it.buffer(4);
    spoc_be_stream stream = it.stream();
    auto range = it.upload_range(buffer, memory.data(), 4);
    range.hostmem = it.made.hostmem;
    it.copy(stream, SPOC_BE_COPY_H2D, {range});
    it.be.host_unregister(it.made.hostmem, nullptr);
    REQUIRE(it.register_range(memory.data(), 16) == SPOC_BE_OK);
    it.mock.release();
    CHECK(it.expected_breaches().size() == 1);
    it.be.host_unregister(it.made.hostmem, nullptr);
}

TEST_CASE("an honest driver refuses to register a range twice") {
    block_fixture it;
    it.open();
    std::vector<char> memory(16);
    REQUIRE(it.register_range(memory.data(), 8, SPOC_BE_HOSTMEM_READ_ONLY) == SPOC_BE_OK);
    spoc_be_hostmem first = it.made.hostmem;
    CHECK(it.mock.calls("host_register").back().flags == SPOC_BE_HOSTMEM_READ_ONLY);
    CHECK(it.register_range(memory.data() + 7, 8) == SPOC_BE_DRIVER);
    CHECK(it.error.native_code == 712);
    CHECK(it.query(memory.data() + 2, 6) == SPOC_BE_HOST_PINNED);
    CHECK(it.query(memory.data() + 2, 7) == 0);
    CHECK(it.be.host_unregister(first, &it.error) == SPOC_BE_OK);
    CHECK(it.query(memory.data() + 2, 6) == 0);
}

TEST_CASE("a lying driver takes everything and fails to end it, and the handle stays") {
    block_fixture it;
    it.open();
    it.mock.set(SPOC_MOCK_REGISTER, SPOC_MOCK_REGISTER_LIES);
    std::vector<char> memory(16);
    REQUIRE(it.register_range(memory.data(), 8) == SPOC_BE_OK);
    spoc_be_hostmem first = it.made.hostmem;
    REQUIRE(it.register_range(memory.data() + 4, 8) == SPOC_BE_OK);
    CHECK(it.be.host_unregister(it.made.hostmem, &it.error) == SPOC_BE_DRIVER);
    CHECK(it.error.native_code == 713);
    CHECK(it.mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 2);
    CHECK(it.be.host_unregister(first, &it.error) == SPOC_BE_OK);
    it.close();
    it.expected_breaches();
    it.mock.gate.reset();
}

TEST_CASE("ending a registration fails when it is told to, and works when tried again") {
    block_fixture it;
    it.open();
    std::vector<char> memory(16);
    REQUIRE(it.register_range(memory.data(), 8) == SPOC_BE_OK);
    auto fault = it.mock.fault("host_unregister");
    fault.native_code = 713;
    it.mock.fail(fault);
    CHECK(it.be.host_unregister(it.made.hostmem, &it.error) == SPOC_BE_DRIVER);
    CHECK(it.error.native_code == 713);
    CHECK(it.be.host_unregister(it.made.hostmem, &it.error) == SPOC_BE_OK);
}

TEST_CASE("registrations are refused, or have to be aligned, where the device says so") {
    block_fixture it;
    it.mock.device().register_align = 4096;
    it.open();
    alignas(4096) static char memory[8192];
    CHECK(it.register_range(memory + 1, 4096) == SPOC_BE_MISALIGNED);
    CHECK(it.error.limit == 4096);
    CHECK(it.register_range(memory, 4095) == SPOC_BE_MISALIGNED);
    REQUIRE(it.register_range(memory, 4096) == SPOC_BE_OK);
    it.be.host_unregister(it.made.hostmem, nullptr);
    it.mock.set(SPOC_MOCK_REGISTER, SPOC_MOCK_REGISTER_REFUSES);
    CHECK(it.register_range(memory, 4096) == SPOC_BE_UNSUPPORTED);
}

TEST_CASE("the answer to a host query can be forced") {
    block_fixture it;
    it.open();
    char byte = 0;
    it.mock.set(SPOC_MOCK_HOST_QUERY, SPOC_BE_HOST_MANAGED);
    CHECK(it.query(&byte, 1) == SPOC_BE_HOST_MANAGED);
}

TEST_CASE("a buffer made over host memory shows the host nothing that is not asked for") {
    plugin_fixture it;
    it.mock.gate.describe(0, SPOC_BE_KIND_INTEGRATED);
    it.open();
    std::string memory = "abcd";
    spoc_be_buffer buffer = it.buffer(4, SPOC_BE_BUFFER_HOST_PTR, memory.data());
    const auto access = [&](std::uint32_t op, std::uint64_t offset, std::uint64_t bytes) {
        return it.be.buffer_host_access(it.default_stream(), buffer, op, offset, bytes, &it.error);
    };
    std::string back(4, '-');
    it.download(it.default_stream(), buffer, back.data(), 4);
    CHECK(back == "abcd");
    it.fill(it.default_stream(), buffer, 4, 'x');
    CHECK(memory == "abcd");
    CHECK(access(SPOC_BE_HOST_ACQUIRE, 1, 2) == SPOC_BE_OK);
    CHECK(memory == "axxd");
    memory = "ABCD";
    CHECK(access(SPOC_BE_HOST_PUBLISH, 0, 1) == SPOC_BE_OK);
    it.download(it.default_stream(), buffer, back.data(), 4);
    CHECK(back == "Axxx");
    CHECK(access(SPOC_BE_HOST_BEGIN_WRITE, 0, 2) == SPOC_BE_OK);
    CHECK(memory == "AxCD");
    CHECK(it.fill(it.default_stream(), buffer, 4, 'y') == SPOC_BE_INVALID);
    CHECK(access(SPOC_BE_HOST_END_WRITE, 0, 3) == SPOC_BE_INVALID);
    CHECK(access(SPOC_BE_HOST_END_WRITE, 0, 2) == SPOC_BE_OK);
    CHECK(it.expected_breaches().size() == 2);
}

TEST_CASE("ending a buffer over host memory waits for the work that uses it") {
    plugin_fixture it;
    it.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    it.open();
    it.mock.hold();
    std::string memory = "abcd";
    spoc_be_buffer buffer = it.bare_buffer(4, SPOC_BE_BUFFER_HOST_RANGE, memory.data());
    it.fill(it.stream(), buffer, 4, 'x');
    CHECK(memory == "abcd");
    CHECK(it.be.buffer_destroy(buffer, &it.error) == SPOC_BE_OK);
    CHECK(memory == "xxxx");
}
