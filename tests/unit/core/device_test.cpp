// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;

spoc_device_info describe(spoc_device device) {
    auto info = sized<spoc_device_info>();
    REQUIRE(told(spoc_device_describe, device, &info) == "ok");
    return info;
}

/// Selectors of all devices, in the order of their ids.
strings all_selectors(runtime_fixture& runtime) {
    strings found;
    for (std::uint32_t id = 0; id < runtime.device_count(); ++id) {
        const spoc_device_info info = describe(runtime.device_at(id));
        CHECK(info.id == id);
        found.emplace_back(info.selector);
    }
    return found;
}

/// Selectors of the devices that fit, or why none can be told.
strings select(const char* selectors) {
    std::array<spoc_device, 16> devices{};
    std::uint32_t count = 0;
    const std::string status = told(spoc_device_select, selectors, devices.data(),
                                    static_cast<std::uint32_t>(devices.size()), &count);
    if (status != "ok") {
        return {status};
    }
    strings found;
    for (std::uint32_t i = 0; i < count; ++i) {
        found.emplace_back(describe(devices[i]).selector);
    }
    return found;
}

std::string best() {
    spoc_device found = nullptr;
    const std::string status = told(spoc_device_best, &found);
    return status == "ok" ? describe(found).selector : status;
}

struct capability_answer {
    std::uint32_t state = 77;
    std::string reason;
};

capability_answer capability(spoc_device device, std::uint32_t bit) {
    capability_answer result;
    std::array<char, 512> reason{};
    CHECK(told(spoc_device_capability, device, bit, &result.state, reason.data(),
               std::uint64_t{reason.size()}) == "ok");
    result.reason = reason.data();
    return result;
}

}  // namespace

TEST_CASE_METHOD(runtime_fixture, "Without a plugin there is no device and no error", "[R-101]") {
    start();
    CHECK(device_count() == 0);
    spoc_device found = nullptr;
    CHECK(told(spoc_device_get, 0U, &found) == "ok");
    CHECK(found == nullptr);
    CHECK(best() == "unavailable no_device");
    CHECK(select("*") == strings{});
    CHECK(select("native") == strings{"unavailable library_not_found"});
}

TEST_CASE_METHOD(runtime_fixture, "Ids follow the known backends, then others by name",
                 "[R-101][R-112]") {
    for (const char* name :
         {"zeta", "native", "vk", "alpha", "hip", "interp", "cuda", "webgpu", "ocl"}) {
        add(name);
    }
    SECTION("by default") {
        start();
        CHECK(all_selectors(*this) == strings{"cuda:0", "hip:0", "ocl:0", "vk:0", "webgpu:0",
                                              "native:0", "interp:0", "alpha:0", "zeta:0"});
    }
    SECTION("as SPOC_BACKENDS lists them") {
        variables.set("SPOC_BACKENDS", "zeta,native,cuda");
        start();
        CHECK(all_selectors(*this) == strings{"zeta:0", "native:0", "cuda:0"});
    }
    SECTION("without those that SPOC_BACKENDS leaves out") {
        variables.set("SPOC_BACKENDS", "-cuda,-zeta,-native");
        start();
        CHECK(all_selectors(*this) ==
              strings{"hip:0", "ocl:0", "vk:0", "webgpu:0", "interp:0", "alpha:0"});
    }
    SECTION("with both forms at once") {
        variables.set("SPOC_BACKENDS", "vk,cuda,-cuda");
        start();
        CHECK(all_selectors(*this) == strings{"vk:0"});
    }
}

TEST_CASE_METHOD(runtime_fixture, "Ids are dense and a backend's devices are numbered",
                 "[R-104][R-105]") {
    recorder& first = add("aa");
    first.devices.resize(3, first.devices[0]);
    add("bb");
    start();
    CHECK(all_selectors(*this) == strings{"aa:0", "aa:1", "aa:2", "bb:0"});
    const spoc_device_info last = describe(device_at(2));
    CHECK(last.index == 2);
    CHECK(std::string(last.backend) == "aa");
    spoc_device beyond = device_at(0);
    CHECK(told(spoc_device_get, 4U, &beyond) == "ok");
    CHECK(beyond == nullptr);
    CHECK(told(spoc_device_get, SPOC_BE_UNKNOWN_32, &beyond) == "ok");
    CHECK(beyond == nullptr);
}

TEST_CASE_METHOD(runtime_fixture,
                 "A backend that cannot describe one device has none and takes no id", "[R-104]") {
    recorder& broken = add("aa");
    broken.devices.resize(2, broken.devices[0]);
    fault second;
    second.entry = GENERATE("device_count", "device_info");
    second.skip = second.entry == "device_info" ? 1 : 0;
    broken.faults.push_back(second);
    add("bb");
    start();
    CHECK(all_selectors(*this) == strings{"bb:0"});
    CHECK_FALSE(broken.open);
    CHECK(told(spoc_backend_require, "aa") == "unavailable init_failed");
    CHECK(broken.count("device_count") == 1);  // it is not asked again and again
}

TEST_CASE_METHOD(runtime_fixture, "A backend without devices or with too many has none",
                 "[R-102]") {
    recorder& odd = add("aa");
    const std::size_t devices = GENERATE(0U, 4097U);
    odd.devices.resize(devices, odd.devices[0]);
    start();
    CHECK(device_count() == 0);
    CHECK(told(spoc_backend_require, "aa") ==
          (devices == 0 ? "unavailable no_device" : "unavailable abi_mismatch"));
    CHECK_FALSE(odd.open);
}

TEST_CASE_METHOD(runtime_fixture, "A backend that does not open leaves the others alone",
                 "[R-102]") {
    recorder& broken = add("aa");
    fault one;
    one.entry = GENERATE("probe", "probe_enumerate", "open");
    broken.faults.push_back(one);
    add("bb");
    start();
    CHECK(all_selectors(*this) == strings{"bb:0"});
    CHECK(told(spoc_backend_require, "aa") == "unavailable init_failed");
}

TEST_CASE_METHOD(device_fixture, "A description holds what the plugin read, to the last field",
                 "[R-106]") {
    std::strcpy(info().name, "Some device");
    info().max_block[2] = 64;
    info().copy_engines = SPOC_BE_UNKNOWN_32;
    info().reserved[22] = 5;
    begin();
    const spoc_be_device_info& properties = *describe(device).properties;
    CHECK(std::string(properties.name) == "Some device");
    CHECK(properties.max_block[2] == 64);
    CHECK(properties.copy_engines == SPOC_BE_UNKNOWN_32);
    CHECK(properties.reserved[22] == 5);
    CHECK(rec.count("device_open") == 0);
}

TEST_CASE_METHOD(device_fixture, "Text that a plugin did not end is ended") {
    std::memset(info().name, 'n', sizeof info().name);
    std::memset(info().framework, 'f', sizeof info().framework);
    begin();
    const spoc_be_device_info& properties = *describe(device).properties;
    CHECK(std::string(properties.name) == std::string(255, 'n'));
    CHECK(std::string(properties.framework) == std::string(31, 'f'));
}

TEST_CASE_METHOD(device_fixture, "A capability is yes, no or unknown, and unknown is never yes",
                 "[R-107][R-108]") {
    constexpr std::uint32_t last_bit = 255;
    set_capability(info(), SPOC_BE_CAP_FP64, true);
    set_capability(info(), SPOC_BE_CAP_FP16, true);
    set_known(info(), SPOC_BE_CAP_FP16, false);
    set_known(info(), SPOC_BE_CAP_INT64, false);
    set_capability(info(), last_bit, true);
    begin();
    CHECK(capability(device, SPOC_BE_CAP_FP64).state == SPOC_CAPABILITY_YES);
    CHECK(capability(device, SPOC_BE_CAP_FP64).reason.empty());
    CHECK(capability(device, last_bit).state == SPOC_CAPABILITY_YES);
    CHECK(rec.count("cap_reason") == 0);
    CHECK(capability(device, SPOC_BE_CAP_ATOMICS64).state == SPOC_CAPABILITY_NO);
    CHECK(capability(device, SPOC_BE_CAP_ATOMICS64).reason == "The recorder lacks it.");
    rec.forget();
    CHECK(capability(device, SPOC_BE_CAP_FP16).state == SPOC_CAPABILITY_UNKNOWN);
    CHECK(capability(device, SPOC_BE_CAP_INT64).state == SPOC_CAPABILITY_UNKNOWN);
    CHECK_FALSE(capability(device, SPOC_BE_CAP_INT64).reason.empty());
    CHECK(rec.count("cap_reason") == 0);
}

TEST_CASE_METHOD(device_fixture,
                 "A reason is cut to the caller's room, and only with room written") {
    rec.why_not = "abcdefgh\xC3\xA4";
    begin();
    std::uint32_t state = 77;
    std::array<char, 12> room{};
    room.fill('#');
    const auto ask_with = [&](std::uint64_t capacity) {
        return told(spoc_device_capability, device, SPOC_BE_CAP_FP64, &state, room.data(),
                    capacity);
    };
    CHECK(ask_with(0) == "ok");
    CHECK(room[0] == '#');
    CHECK(ask_with(1) == "ok");
    CHECK(std::string(room.data(), 2) == std::string("\0#", 2));
    CHECK(ask_with(10) == "ok");  // the two bytes of the last letter do not fit
    CHECK(std::string(room.data()) == "abcdefgh");
    CHECK(ask_with(11) == "ok");
    CHECK(std::string(room.data()) == "abcdefgh\xC3\xA4");
    CHECK(room[11] == '#');
}

TEST_CASE_METHOD(device_fixture, "A plugin that gives no reason for a no is no failure") {
    rec.why_not = "";
    begin();
    CHECK(capability(device, SPOC_BE_CAP_FP64).reason == "The plugin gives no reason.");
    fault broken;
    broken.entry = "cap_reason";
    rec.faults.push_back(broken);
    CHECK(capability(device, SPOC_BE_CAP_FP64).state == SPOC_CAPABILITY_NO);
}

TEST_CASE_METHOD(device_fixture, "Memory is asked each time, after opening the device once") {
    begin();
    auto memory = sized<spoc_be_memory_info>();
    CHECK(told(spoc_device_memory, device, &memory) == "ok");
    CHECK(told(spoc_device_memory, device, &memory) == "ok");
    CHECK(memory.total == 8000);
    CHECK(memory.free == 3000);
    CHECK(memory.pinned_budget == SPOC_BE_UNKNOWN_64);
    CHECK(rec.count("device_open") == 1);
    CHECK(rec.count("device_memory") == 2);
}

TEST_CASE_METHOD(device_fixture, "A device that did not open may open later") {
    begin();
    fault broken;
    broken.entry = "device_open";
    rec.faults.push_back(broken);
    auto memory = sized<spoc_be_memory_info>();
    const answer failed = ask(spoc_device_memory, device, &memory);
    CHECK(failed.text() == "backend_error context");
    CHECK(failed.error.device == 0);
    CHECK(told(spoc_device_memory, device, &memory) == "ok");
}

TEST_CASE_METHOD(runtime_fixture, "The best device is a discrete one, and a CPU only in need",
                 "[R-112]") {
    recorder& first = add("aa");
    first.devices.resize(6, first.devices[0]);
    const std::array<std::uint32_t, 6> kinds = {SPOC_BE_KIND_CPU,        SPOC_BE_KIND_UNKNOWN,
                                                SPOC_BE_KIND_INTEGRATED, SPOC_BE_KIND_VIRTUAL,
                                                SPOC_BE_KIND_DISCRETE,   SPOC_BE_KIND_DISCRETE};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        first.devices[i].kind = kinds[i];
    }
    SECTION("discrete before all others, the lowest id first") {
        start();
        CHECK(best() == "aa:4");
    }
    SECTION("then integrated") {
        first.devices.resize(4);
        start();
        CHECK(best() == "aa:2");
    }
    SECTION("then any other accelerator, also one of unknown kind") {
        first.devices.resize(2);
        start();
        CHECK(best() == "aa:1");
    }
    SECTION("then a CPU") {
        first.devices.resize(1);
        start();
        CHECK(best() == "aa:0");
    }
    SECTION("a CPU is taken as willingly by a program that allows it") {
        first.devices.resize(1);
        start(SPOC_ALLOW_CPU);
        CHECK(best() == "aa:0");
    }
}

TEST_CASE_METHOD(runtime_fixture, "Selectors pick by backend, position, uuid and PCI address",
                 "[R-112]") {
    recorder& first = add("aa");
    first.devices.resize(3, first.devices[0]);
    for (std::uint32_t i = 0; i < 3; ++i) {
        first.devices[i].uuid[15] = static_cast<std::uint8_t>(i);
        first.devices[i].pci[1] = 0x65;
        first.devices[i].pci[3] = i;
    }
    first.devices[1].flags = SPOC_BE_DEVICE_HAS_UUID;
    first.devices[2].flags = SPOC_BE_DEVICE_HAS_PCI;
    add("bb");
    start();
    CHECK(select("*") == strings{"aa:0", "aa:1", "aa:2", "bb:0"});
    CHECK(select("aa") == strings{"aa:0", "aa:1", "aa:2"});
    CHECK(select("aa:1") == strings{"aa:1"});
    CHECK(select("aa:3") == strings{});
    CHECK(select("bb,aa:0") == strings{"bb:0", "aa:0"});
    CHECK(select("aa:2,aa,aa:0,*") == strings{"aa:2", "aa:0", "aa:1", "bb:0"});
    CHECK(select("aa:uuid=00000000-0000-0000-0000-000000000001") == strings{"aa:1"});
    CHECK(select("aa:uuid=00000000000000000000000000000000") == strings{});  // it has no uuid
    CHECK(select("aa:pci=0000:65:00.2") == strings{"aa:2"});
    CHECK(select("aa:pci=65:0.2") == strings{"aa:2"});
    CHECK(select("aa:pci=0000:65:00.0") == strings{});  // it has no address
    CHECK(select("bb:pci=0000:65:00.2") == strings{});
    CHECK(select("vk") == strings{"unavailable library_not_found"});
    CHECK(select("aa,vk") == strings{"unavailable library_not_found"});
    CHECK(select("nobody") == strings{"invalid_argument name"});
    CHECK(select("") == strings{"invalid_argument name"});
    CHECK(select("aa,") == strings{"invalid_argument name"});
}

TEST_CASE_METHOD(runtime_fixture,
                 "A selection tells its whole number and writes what there is room for") {
    recorder& first = add("aa");
    first.devices.resize(3, first.devices[0]);
    start();
    std::uint32_t count = 77;
    CHECK(told(spoc_device_select, "*", static_cast<spoc_device*>(nullptr), 0U, &count) == "ok");
    CHECK(count == 3);
    std::array<spoc_device, 3> devices{};
    CHECK(told(spoc_device_select, "*", devices.data(), 2U, &count) == "ok");
    CHECK(count == 3);
    CHECK(devices[1] == device_at(1));
    CHECK(devices[2] == nullptr);
}

TEST_CASE_METHOD(runtime_fixture, "SPOC_DEVICES hides devices, and ids stay dense", "[R-104]") {
    recorder& first = add("aa");
    first.devices.resize(3, first.devices[0]);
    add("bb");
    SECTION("those that fit no selector") {
        variables.set("SPOC_DEVICES", "bb:0,aa:2");
        start();
        CHECK(all_selectors(*this) == strings{"aa:2", "bb:0"});
        CHECK(select("aa") == strings{"aa:2"});
    }
    SECTION("all, when none fits") {
        variables.set("SPOC_DEVICES", "aa:7");
        start();
        CHECK(device_count() == 0);
    }
    SECTION("none, when it is malformed: that is an error") {
        variables.set("SPOC_DEVICES", GENERATE("aa:", "nobody", "aa,,bb", "*,-bb"));
        start();
        std::uint32_t count = 77;
        CHECK(told(spoc_device_count, &count) == "invalid_argument name");
        CHECK(count == 77);
    }
}

TEST_CASE_METHOD(device_fixture, "Every capability has a name by which it is found again") {
    std::uint32_t number = 0;
    while (const char* name = spoc_capability_at(number, nullptr)) {
        std::uint32_t listed = 77;
        std::uint32_t found = 78;
        CHECK(std::string(spoc_capability_at(number, &listed)) == name);
        CHECK(spoc_capability_find(name, &found) == 1);
        CHECK(listed == found);
        ++number;
    }
    CHECK(number == 39);
    std::uint32_t untouched = 77;
    CHECK(spoc_capability_find("no_such_thing", &untouched) == 0);
    CHECK(spoc_capability_find(nullptr, &untouched) == 0);
    CHECK(spoc_capability_at(number, &untouched) == nullptr);
    CHECK(untouched == 77);
    CHECK(std::string(spoc_device_kind_name(SPOC_BE_KIND_DISCRETE)) == "discrete");
    CHECK(std::string(spoc_device_kind_name(99)) == "unknown");
}

}  // namespace spoc::test
