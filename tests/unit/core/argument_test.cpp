// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;

/// A wrong call and what it must come to.
struct mistake {
    std::string what;
    std::string wanted;
    std::function<std::string()> call;
};

constexpr std::uint32_t marked_count = 0xC0FFEE;
const spoc_device no_device = nullptr;
const spoc_buffer no_buffer = nullptr;

/// Outputs that must keep what they hold.
struct outputs {
    std::uint32_t count = marked_count;
    std::array<std::byte, 64> host{};
    std::array<char, 64> text{};
    spoc_be_memory_info memory = sized<spoc_be_memory_info>();
    spoc_device_info device = sized<spoc_device_info>();
    spoc_buffer_info buffer = sized<spoc_buffer_info>();
    spoc_backend_info backend = sized<spoc_backend_info>();
    spoc_search_place place = sized<spoc_search_place>();
    spoc_self_test_step step{};
    spoc_device found = nullptr;
    spoc_buffer made = nullptr;

    outputs() { text.fill('#'); }

    void check_untouched() const {
        const outputs fresh;
        CHECK(count == fresh.count);
        CHECK(host == fresh.host);
        CHECK(text == fresh.text);
        CHECK(std::memcmp(&memory.flags, &fresh.memory.flags, sizeof memory - 4) == 0);
        CHECK(std::memcmp(&device.id, &fresh.device.id, sizeof device - 4) == 0);
        CHECK(std::memcmp(&buffer.reserved, &fresh.buffer.reserved, sizeof buffer - 4) == 0);
        CHECK(std::memcmp(&backend.state, &fresh.backend.state, sizeof backend - 4) == 0);
        CHECK(std::memcmp(&place.source, &fresh.place.source, sizeof place - 4) == 0);
        CHECK(std::memcmp(&step, &fresh.step, sizeof step) == 0);
        CHECK(found == nullptr);
        CHECK(made == nullptr);
    }
};

/// Mistakes that can be told from arguments, on a runtime of which nothing was asked yet.
std::vector<mistake> mistakes_about_the_list(outputs& out) {
    return {
        {"a probe level that is none", "invalid_argument value",
         [] { return told(spoc_backends_probe, 0U); }},
        {"a probe level beyond the last", "invalid_argument value",
         [] { return told(spoc_backends_probe, 3U); }},
        {"no place for the number of backends", "invalid_argument null",
         [] { return told(spoc_backend_count, static_cast<std::uint32_t*>(nullptr)); }},
        {"no place for a backend", "invalid_argument null",
         [] { return told(spoc_backend_get, 0U, static_cast<spoc_backend_info*>(nullptr)); }},
        {"no name of a backend", "invalid_argument null",
         [] { return told(spoc_backend_require, static_cast<const char*>(nullptr)); }},
        {"a name of no backend", "invalid_argument name",
         [] { return told(spoc_backend_require, "rek"); }},
        {"no place for the number of places", "invalid_argument null",
         [] { return told(spoc_search_count, static_cast<std::uint32_t*>(nullptr)); }},
        {"no place for a place", "invalid_argument null",
         [] { return told(spoc_search_get, 0U, static_cast<spoc_search_place*>(nullptr)); }},
        {"a place beyond the last", "invalid_argument bounds",
         [&out] { return told(spoc_search_get, 1000U, &out.place); }},
        {"a place's record without a size", "invalid_argument value",
         [&out] {
             out.place.size = 3;
             return told(spoc_search_get, 0U, &out.place);
         }},
        {"no place for the number of devices", "invalid_argument null",
         [] { return told(spoc_device_count, static_cast<std::uint32_t*>(nullptr)); }},
        {"no place for a device", "invalid_argument null",
         [] { return told(spoc_device_get, 0U, static_cast<spoc_device*>(nullptr)); }},
        {"no place for the best device", "invalid_argument null",
         [] { return told(spoc_device_best, static_cast<spoc_device*>(nullptr)); }},
        {"no selectors", "invalid_argument null",
         [&out] {
             return told(spoc_device_select, static_cast<const char*>(nullptr), &out.found, 1U,
                         &out.count);
         }},
        {"no place for the number of selected devices", "invalid_argument null",
         [&out] {
             return told(spoc_device_select, "*", &out.found, 1U,
                         static_cast<std::uint32_t*>(nullptr));
         }},
        {"no place for the selected devices", "invalid_argument null",
         [&out] {
             return told(spoc_device_select, "*", static_cast<spoc_device*>(nullptr), 1U,
                         &out.count);
         }},
        {"a backend's record without a size", "invalid_argument value",
         [&out] {
             out.backend.size = 0;
             return told(spoc_backend_get, 0U, &out.backend);
         }},
        {"an empty name", "invalid_argument name", [] { return told(spoc_backend_require, ""); }},
        {"a selector of no backend", "invalid_argument name",
         [&out] { return told(spoc_device_select, "rek:0", &out.found, 1U, &out.count); }},
        {"a malformed selector", "invalid_argument name",
         [&out] { return told(spoc_device_select, "rec:first", &out.found, 1U, &out.count); }},
    };
}

std::vector<mistake> mistakes_about_devices(outputs& out, spoc_device device) {
    return {
        {"describing no device", "invalid_argument null",
         [&out] { return told(spoc_device_describe, no_device, &out.device); }},
        {"no place for a description", "invalid_argument null",
         [device] {
             return told(spoc_device_describe, device, static_cast<spoc_device_info*>(nullptr));
         }},
        {"a description without a size", "invalid_argument value",
         [&out, device] {
             out.device.size = 3;
             return told(spoc_device_describe, device, &out.device);
         }},
        {"a capability of no device", "invalid_argument null",
         [&out] {
             return told(spoc_device_capability, no_device, 0U, &out.count, out.text.data(),
                         std::uint64_t{8});
         }},
        {"no place for an answer", "invalid_argument null",
         [&out, device] {
             return told(spoc_device_capability, device, 0U, static_cast<std::uint32_t*>(nullptr),
                         out.text.data(), std::uint64_t{8});
         }},
        {"a capability beyond the last", "invalid_argument value",
         [&out, device] {
             return told(spoc_device_capability, device, 256U, &out.count, out.text.data(),
                         std::uint64_t{8});
         }},
        {"the memory of no device", "invalid_argument null",
         [&out] { return told(spoc_device_memory, no_device, &out.memory); }},
        {"no place for the memory", "invalid_argument null",
         [device] {
             return told(spoc_device_memory, device, static_cast<spoc_be_memory_info*>(nullptr));
         }},
        {"a record of memory without a size", "invalid_argument value",
         [&out, device] {
             out.memory.size = 0;
             return told(spoc_device_memory, device, &out.memory);
         }},
        {"the health of no device", "invalid_argument null",
         [&out] { return told(spoc_device_health, no_device, &out.count); }},
        {"no place for the health", "invalid_argument null",
         [device] {
             return told(spoc_device_health, device, static_cast<std::uint32_t*>(nullptr));
         }},
        {"testing no device", "invalid_argument null",
         [&out] { return told(spoc_device_self_test, no_device, &out.step, 1U, &out.count); }},
        {"no place for the number of steps", "invalid_argument null",
         [&out, device] {
             return told(spoc_device_self_test, device, &out.step, 1U,
                         static_cast<std::uint32_t*>(nullptr));
         }},
        {"no place for steps", "invalid_argument null",
         [&out, device] {
             return told(spoc_device_self_test, device, static_cast<spoc_self_test_step*>(nullptr),
                         1U, &out.count);
         }},
        {"a buffer on no device", "invalid_argument null",
         [&out] { return told(spoc_buffer_create, no_device, std::uint64_t{64}, &out.made); }},
        {"no place for a buffer", "invalid_argument null",
         [device] {
             return told(spoc_buffer_create, device, std::uint64_t{64},
                         static_cast<spoc_buffer*>(nullptr));
         }},
    };
}

std::vector<mistake> mistakes_about_buffers(outputs& out, spoc_buffer buffer) {
    void* const host = out.host.data();
    const void* const source = host;
    const std::uint64_t n = 0;
    const std::uint64_t few = 8;
    return {
        {"describing no buffer", "invalid_argument null",
         [&out] { return told(spoc_buffer_describe, no_buffer, &out.buffer); }},
        {"no place for a buffer's description", "invalid_argument null",
         [buffer] {
             return told(spoc_buffer_describe, buffer, static_cast<spoc_buffer_info*>(nullptr));
         }},
        {"a buffer's description without a size", "invalid_argument value",
         [&out, buffer] {
             out.buffer.size = 1;
             return told(spoc_buffer_describe, buffer, &out.buffer);
         }},
        {"copying to no buffer", "invalid_argument null",
         [=] { return told(spoc_copy_to_device, source, few, no_buffer, n); }},
        {"copying nothing to no buffer", "invalid_argument null",
         [=] { return told(spoc_copy_to_device, source, n, no_buffer, n); }},
        {"copying from nowhere", "invalid_argument null",
         [=] {
             return told(spoc_copy_to_device, static_cast<const void*>(nullptr), few, buffer, n);
         }},
        {"copying from no buffer", "invalid_argument null",
         [=] { return told(spoc_copy_to_host, no_buffer, n, host, few); }},
        {"copying to nowhere", "invalid_argument null",
         [=] { return told(spoc_copy_to_host, buffer, n, static_cast<void*>(nullptr), few); }},
        {"copying on the device from no buffer", "invalid_argument null",
         [=] { return told(spoc_copy_on_device, no_buffer, n, buffer, n, few); }},
        {"copying on the device to no buffer", "invalid_argument null",
         [=] { return told(spoc_copy_on_device, buffer, n, no_buffer, n, few); }},
        {"filling no buffer", "invalid_argument null",
         [=] { return told(spoc_fill, no_buffer, n, few, 0U, 1U); }},
    };
}

void check(const std::vector<mistake>& mistakes, const outputs& out, recorder& rec) {
    for (const mistake& one : mistakes) {
        INFO(one.what);
        rec.forget();
        CHECK(one.call() == one.wanted);
        out.check_untouched();
        CHECK(rec.entries() == strings{});
    }
}

}  // namespace

TEST_CASE_METHOD(device_fixture, "Mistakes about the list are told before any plugin is asked",
                 "[R-002]") {
    start();
    outputs out;
    check(mistakes_about_the_list(out), out, rec);
}

TEST_CASE_METHOD(device_fixture, "Mistakes about devices are told before the driver is called",
                 "[R-002]") {
    begin();
    outputs out;
    check(mistakes_about_devices(out, device), out, rec);
}

TEST_CASE_METHOD(device_fixture, "Mistakes about buffers are told before the driver is called",
                 "[R-002]") {
    const spoc_buffer made = begin_with_buffer(64);
    outputs out;
    check(mistakes_about_buffers(out, made), out, rec);
}

TEST_CASE_METHOD(device_fixture, "Mistakes are told as such when the runtime does not run",
                 "[R-002]") {
    const spoc_buffer made = begin_with_buffer(64);
    stop();
    outputs out;
    check(mistakes_about_devices(out, device), out, rec);
    check(mistakes_about_buffers(out, made), out, rec);
    CHECK(told(spoc_fill, made, std::uint64_t{65}, std::uint64_t{0}, 0U, 1U) ==
          "invalid_argument bounds");
    CHECK(told(spoc_backends_probe, 9U) == "invalid_argument value");
}

TEST_CASE_METHOD(device_fixture, "Mistakes are told as such where the feature is missing too",
                 "[R-002]") {
    set_capability(info(), SPOC_BE_CAP_PINNED, false);
    set_capability(info(), SPOC_BE_CAP_PEER_COPY, false);
    info().pageable_max = 0;
    rec.devices.resize(2, info());
    const spoc_buffer made = begin_with_buffer(64);
    const spoc_buffer other = buffer(device_at(1), 64);
    rec.forget();
    std::array<std::byte, 80> host{};
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(host.data()), std::uint64_t{65}, made,
               std::uint64_t{0}) == "invalid_argument bounds");
    CHECK(told(spoc_copy_on_device, made, std::uint64_t{60}, other, std::uint64_t{0},
               std::uint64_t{5}) == "invalid_argument bounds");
    CHECK(told(spoc_copy_on_device, made, std::uint64_t{0}, other, std::uint64_t{60},
               std::uint64_t{5}) == "invalid_argument bounds");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "A failure needs no record to be told") {
    const spoc_buffer made = begin_with_buffer(64);
    CHECK(spoc_fill(made, 65, 0, 0, 1, nullptr) == SPOC_INVALID_ARGUMENT);
    CHECK(spoc_backends_probe(9, nullptr) == SPOC_INVALID_ARGUMENT);
    CHECK(spoc_buffer_describe(nullptr, nullptr, nullptr) == SPOC_INVALID_ARGUMENT);
    fault broken;
    broken.entry = "fill";
    rec.faults.push_back(broken);
    CHECK(spoc_fill(made, 0, 64, 0, 1, nullptr) == SPOC_BACKEND_ERROR);
}

}  // namespace spoc::test
