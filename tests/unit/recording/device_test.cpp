// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

using spoc::test::be_sized;
using spoc::test::plugin_fixture;

namespace {

spoc_be_device_info info_of(plugin_fixture& it, std::uint32_t index = 0) {
    auto info = be_sized<spoc_be_device_info>();
    REQUIRE(it.be.device_info(index, &info, &it.error) == SPOC_BE_OK);
    return info;
}

}  // namespace

TEST_CASE("devices are what the test describes") {
    plugin_fixture it;
    it.mock.set_devices(3);
    it.mock.gate.describe(2, SPOC_BE_KIND_CPU);
    it.mock.device(1).memory_total = 12345;
    it.open(3);
    std::uint32_t count = 0;
    it.be.device_count(&count, &it.error);
    CHECK(count == 3);
    CHECK(info_of(it, 0).kind == SPOC_BE_KIND_DISCRETE);
    CHECK(info_of(it, 1).memory_total == 12345);
    CHECK(info_of(it, 1).index == 1);
    CHECK(info_of(it, 2).kind == SPOC_BE_KIND_CPU);
    CHECK((info_of(it, 2).caps[0] & (1U << SPOC_BE_CAP_BUFFER_HOST_RANGE)) != 0);
}

TEST_CASE("devices are what the host's configuration says") {
    plugin_fixture it;
    it.host.settings = {
        {"mock.devices", "2"},   {"mock.kind", "integrated"}, {"mock.framework", "Vulkan/SPIR-V"},
        {"mock.memory", "4096"}, {"mock.no", "10,8"},         {"mock.unknown", "13"},
        {"mock.yes", "4"},       {"mock.hold", "1"}};
    it.open();
    std::uint32_t count = 0;
    it.be.device_count(&count, &it.error);
    CHECK(count == 2);
    const auto info = info_of(it, 1);
    CHECK(info.kind == SPOC_BE_KIND_INTEGRATED);
    CHECK(std::string(info.framework) == "Vulkan/SPIR-V");
    CHECK(info.memory_total == 4096);
    const auto bit = [](std::uint32_t capability) { return std::uint64_t{1} << capability; };
    CHECK((info.caps[0] & (bit(10) | bit(8) | bit(13) | bit(4))) == bit(4));
    CHECK((info.caps_known[0] & (bit(10) | bit(8) | bit(13) | bit(4))) ==
          (bit(10) | bit(8) | bit(4)));
    CHECK(it.mock.gate.get(SPOC_MOCK_HOLD) == 1);
}

TEST_CASE("entries of a group that a device lacks are unsupported") {
    const std::uint32_t answer = GENERATE(SPOC_MOCK_NO, SPOC_MOCK_UNKNOWN);
    plugin_fixture it;
    for (const std::uint32_t capability :
         {SPOC_BE_CAP_PINNED, SPOC_BE_CAP_REGISTER, SPOC_BE_CAP_HOST_QUERY,
          SPOC_BE_CAP_BUFFER_TRACKED, SPOC_BE_CAP_EVENT_TIMING, SPOC_BE_CAP_PEER_COPY}) {
        it.mock.set_capability(capability, answer);
    }
    it.open();
    auto desc = be_sized<spoc_be_hostmem_desc>();
    char byte = 0;
    desc.bytes = 1;
    auto made = be_sized<spoc_be_hostmem_result>();
    CHECK(it.be.pinned_alloc(it.device(), &desc, &made, &it.error) == SPOC_BE_UNSUPPORTED);
    desc.host = &byte;
    CHECK(it.be.host_register(it.device(), &desc, &made, &it.error) == SPOC_BE_UNSUPPORTED);
    std::uint32_t flags = 0;
    CHECK(it.be.host_query(it.device(), &byte, 1, &flags, &it.error) == SPOC_BE_UNSUPPORTED);
    CHECK(it.be.peer_query(it.device(), it.device(), &flags, &it.error) == SPOC_BE_UNSUPPORTED);
    CHECK(it.be.buffer_wait(it.buffer(1), SPOC_BE_ACCESS_READ, 0, &it.error) ==
          SPOC_BE_UNSUPPORTED);
    spoc_be_event event = nullptr;
    CHECK(it.be.event_create(it.device(), SPOC_BE_EVENT_TIMING, &event, &it.error) ==
          SPOC_BE_UNSUPPORTED);
}

TEST_CASE("the reason is given for a no alone") {
    plugin_fixture it;
    it.mock.set_capability(SPOC_BE_CAP_PINNED, SPOC_MOCK_NO);
    it.mock.set_capability(SPOC_BE_CAP_REGISTER, SPOC_MOCK_UNKNOWN);
    it.open();
    CHECK(it.be.cap_reason(0, SPOC_BE_CAP_PINNED, &it.error) == SPOC_BE_OK);
    CHECK(it.error.status == SPOC_BE_UNSUPPORTED);
    CHECK(it.be.cap_reason(0, SPOC_BE_CAP_REGISTER, &it.error) == SPOC_BE_INVALID);
    CHECK(it.be.cap_reason(0, SPOC_BE_CAP_HOST_QUERY, &it.error) == SPOC_BE_INVALID);
}

TEST_CASE("device memory is limited and accounted for") {
    plugin_fixture it;
    it.mock.device().memory_total = 100;
    it.open();
    it.buffer(60);
    auto desc = be_sized<spoc_be_buffer_desc>();
    desc.bytes = 41;
    auto made = be_sized<spoc_be_buffer_result>();
    CHECK(it.be.buffer_create(it.device(), &desc, &made, &it.error) == SPOC_BE_OUT_OF_MEMORY);
    auto memory = be_sized<spoc_be_memory_info>();
    CHECK(it.be.device_memory(it.device(), &memory, &it.error) == SPOC_BE_OK);
    CHECK(memory.free == 40);
}

TEST_CASE("a report with a reason makes probes fail") {
    plugin_fixture it;
    auto report = be_sized<spoc_be_probe_report>();
    report.reason = SPOC_BE_REASON_NO_DEVICE;
    it.mock.gate.set_report(&report);
    auto found = be_sized<spoc_be_probe_report>();
    CHECK(it.be.probe(&it.host.services, SPOC_BE_PROBE_PASSIVE, &found, &it.error) ==
          SPOC_BE_UNAVAILABLE);
    CHECK(found.reason == SPOC_BE_REASON_NO_DEVICE);
    CHECK(it.error.reason == SPOC_BE_REASON_NO_DEVICE);
}

TEST_CASE("copies between devices and waits across them follow what peer_query says") {
    plugin_fixture it;
    it.mock.set_devices(2);
    it.mock.gate.set_peer(0, 1, SPOC_BE_PEER_COPY);
    it.open(2);
    std::uint32_t flags = 0;
    CHECK(it.be.peer_query(it.device(0), it.device(1), &flags, &it.error) == SPOC_BE_OK);
    CHECK(flags == SPOC_BE_PEER_COPY);
    it.be.peer_query(it.device(1), it.device(0), &flags, &it.error);
    CHECK((flags & SPOC_BE_PEER_EVENTS) != 0);
    spoc_be_buffer source = it.buffer(4);
    spoc_be_buffer destination = it.buffer(4, SPOC_BE_BUFFER_DEVICE, nullptr, 1);
    it.upload(it.default_stream(0), source, "abcd", 4);
    spoc_be_range range{};
    range.src = source;
    range.dst = destination;
    range.bytes = 4;
    CHECK(it.copy(it.default_stream(1), SPOC_BE_COPY_PEER, {range}) == SPOC_BE_OK);
    std::string back(4, '-');
    it.download(it.default_stream(1), destination, back.data(), 4);
    CHECK(back == "abcd");
    spoc_be_event event = it.event();
    it.be.event_record(event, it.default_stream(0), &it.error);
    CHECK(it.be.stream_wait(it.default_stream(1), event, &it.error) == SPOC_BE_INVALID);
    CHECK(it.expected_breaches().size() == 1);
}

TEST_CASE("the time between recordings is a count of operations") {
    plugin_fixture it;
    it.open();
    spoc_be_event start = it.event(SPOC_BE_EVENT_TIMING);
    spoc_be_event stop = it.event(SPOC_BE_EVENT_TIMING);
    double ns = -1;
    CHECK(it.be.event_elapsed(start, stop, &ns, &it.error) == SPOC_BE_INVALID);
    it.be.event_record(start, it.default_stream(), &it.error);
    it.fill(it.default_stream(), it.buffer(4), 4, 0);
    it.be.event_record(stop, it.default_stream(), &it.error);
    CHECK(it.be.event_elapsed(start, stop, &ns, &it.error) == SPOC_BE_OK);
    CHECK(ns == 2000);
    CHECK(it.be.event_elapsed(stop, start, &ns, &it.error) == SPOC_BE_OK);
    CHECK(ns == -2000);
    it.mock.hold();
    it.be.event_record(stop, it.default_stream(), &it.error);
    CHECK(it.be.event_elapsed(start, stop, &ns, &it.error) == SPOC_BE_NOT_READY);
}

TEST_CASE("the smaller plugin has no optional entry and claims none") {
    const spoc::test::recording mock("mockmin");
    CHECK(std::string(mock.table.name) == "mockmin");
#define SPOC_CHECK_ENTRY(number, name, required)                  \
    {                                                             \
        CAPTURE(#name);                                           \
        CHECK((mock.table.name != nullptr) == ((required) == 1)); \
    }
    SPOC_BE_ENTRY_LIST(SPOC_CHECK_ENTRY)
#undef SPOC_CHECK_ENTRY
    CHECK(mock.gate.device(0)->formats == 0);
}
