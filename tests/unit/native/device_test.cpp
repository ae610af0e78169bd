// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>

#include <cstring>
#include <string>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {
namespace {

/// The capabilities of the contract.
constexpr uint64_t known[4] = {SPOC_BE_CAPS_KNOWN_0, SPOC_BE_CAPS_KNOWN_1, SPOC_BE_CAPS_KNOWN_2, 0};

bool is_set(const uint64_t (&words)[4], uint32_t bit) {
    return (words[bit / 64] >> bit % 64 & 1) != 0;
}

}  // namespace

TEST_CASE_METHOD(plugin_fixture, "The backend has one device, which is this machine") {
    uint32_t count = 0;
    REQUIRE(be.device_count(&count, &error) == SPOC_BE_OK);
    CHECK(count == 1);
    auto info = sized<spoc_be_device_info>();
    REQUIRE(be.device_info(0, &info, &error) == SPOC_BE_OK);
    utsname system{};
    ::uname(&system);
    CHECK(info.kind == SPOC_BE_KIND_CPU);
    CHECK(std::string(info.arch) == system.machine);
    CHECK(std::string(info.framework) == "Native");
    CHECK(std::strlen(info.name) > 0);
    CHECK(info.compute_units >= 1);
    CHECK(info.memory_total > 0);
    CHECK(info.max_alloc == info.memory_total);
    CHECK(info.formats == uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL);
    CHECK(info.pageable_max == SPOC_BE_NO_LIMIT);
    CHECK(info.copy_align == 1);
}

TEST_CASE_METHOD(plugin_fixture,
                 "Every capability of the contract is known, and every no has a reason") {
    auto info = sized<spoc_be_device_info>();
    REQUIRE(be.device_info(0, &info, &error) == SPOC_BE_OK);
    CHECK(std::memcmp(known, info.caps_known, sizeof known) == 0);
    for (uint32_t bit = 0; bit < 256; ++bit) {
        INFO("capability " << bit);
        auto reason = sized<spoc_be_error>();
        const int32_t status = be.cap_reason(0, bit, &reason);
        const bool is_no = is_set(known, bit) && !is_set(info.caps, bit);
        CHECK(status == (is_no ? SPOC_BE_OK : SPOC_BE_INVALID));
        CHECK(reason.status == (is_no ? SPOC_BE_UNSUPPORTED : SPOC_BE_INVALID));
        CHECK(std::string(reason.message).back() == '.');
    }
    CHECK(be.cap_reason(0, 4000, &error) == SPOC_BE_INVALID);
}

TEST_CASE_METHOD(plugin_fixture, "Capabilities and entries agree") {
    auto info = sized<spoc_be_device_info>();
    REQUIRE(be.device_info(0, &info, &error) == SPOC_BE_OK);
    const auto yes = [&info](uint32_t bit) { return is_set(info.caps, bit); };
    CHECK(yes(SPOC_BE_CAP_BUFFER_TRACKED) == (be.buffer_wait != nullptr));
    CHECK(yes(SPOC_BE_CAP_BUFFER_HOST_PTR) == (be.buffer_host_access != nullptr));
    CHECK(yes(SPOC_BE_CAP_PINNED) == (be.pinned_alloc != nullptr && be.pinned_free != nullptr));
    CHECK(yes(SPOC_BE_CAP_REGISTER) == (be.host_register != nullptr));
    CHECK(yes(SPOC_BE_CAP_HOST_QUERY) == (be.host_query != nullptr));
    CHECK(yes(SPOC_BE_CAP_EVENT_TIMING) == (be.event_elapsed != nullptr));
    CHECK(yes(SPOC_BE_CAP_PEER_COPY) == (be.peer_query != nullptr));
    CHECK(yes(SPOC_BE_CAP_PROGRAM_BINARY) == (be.program_binary != nullptr));
    CHECK(yes(SPOC_BE_CAP_REFLECTION) == (be.kernel_params != nullptr));
}

TEST_CASE_METHOD(plugin_fixture, "Memory figures are within what the machine has") {
    auto memory = sized<spoc_be_memory_info>();
    REQUIRE(be.device_memory(device, &memory, &error) == SPOC_BE_OK);
    auto info = sized<spoc_be_device_info>();
    REQUIRE(be.device_info(0, &info, &error) == SPOC_BE_OK);
    CHECK(memory.total == info.memory_total);
    CHECK(memory.free <= memory.total);
    CHECK(memory.free > 0);
}

TEST_CASE_METHOD(plugin_fixture, "A record is written as far as its caller's size reaches") {
    spoc_be_memory_info memory;
    std::memset(&memory, 0x5A, sizeof memory);
    memory.size = offsetof(spoc_be_memory_info, free);
    REQUIRE(be.device_memory(device, &memory, &error) == SPOC_BE_OK);
    CHECK(memory.size == offsetof(spoc_be_memory_info, free));
    CHECK(memory.flags == 0);
    CHECK(memory.free == 0x5A5A5A5A5A5A5A5A);
}

}  // namespace spoc::test
