// SPDX-License-Identifier: Apache-2.0

/// \file
/// A plugin all of whose optional entries are null.

#include <array>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {

TEST_CASE_METHOD(runtime_fixture,
                 "Without optional entries everything else works and nothing crashes",
                 "[R-005][B06]") {
    recorder& rec = add("bare", entries::none);
    rec.devices.resize(2, rec.devices[0]);
    start();
    const spoc_buffer one = buffer(device_at(0), 64);
    const spoc_buffer two = buffer(device_at(1), 64);
    upload(one, pattern(64));
    CHECK(contents(one) == pattern(64));
    CHECK(told(spoc_copy_on_device, one, std::uint64_t{0}, one, std::uint64_t{32},
               std::uint64_t{32}) == "ok");
    CHECK(told(spoc_fill, one, std::uint64_t{0}, std::uint64_t{64}, 0U, 4U) == "ok");
    CHECK(told(spoc_copy_on_device, one, std::uint64_t{0}, two, std::uint64_t{0},
               std::uint64_t{32}) == "feature_not_supported none");
    fault empty;
    empty.entry = "buffer_create";
    empty.status = SPOC_BE_OUT_OF_MEMORY;
    rec.faults.push_back(empty);
    spoc_buffer made = nullptr;
    CHECK(told(spoc_buffer_create, device_at(0), std::uint64_t{8}, &made) == "ok");
    CHECK(told(spoc_buffer_destroy, made) == "ok");
}

TEST_CASE_METHOD(runtime_fixture, "Without an entry for reasons a no still is one",
                 "[R-005][R-108]") {
    add("bare", entries::none);
    start();
    for (std::uint32_t number = 0; spoc_capability_at(number, nullptr) != nullptr; ++number) {
        std::uint32_t bit = 0;
        std::uint32_t state = 77;
        std::array<char, 64> reason{};
        spoc_capability_at(number, &bit);
        CHECK(told(spoc_device_capability, device_at(0), bit, &state, reason.data(),
                   std::uint64_t{reason.size()}) == "ok");
        CHECK(state == SPOC_CAPABILITY_NO);
        CHECK(std::string(reason.data()) == "The plugin gives no reason.");
    }
}

TEST_CASE_METHOD(runtime_fixture, "A claim without its entry refuses the backend", "[R-005]") {
    struct claim {
        std::uint32_t capability;
        const char* entry;
    };
    const auto one = GENERATE(claim{SPOC_BE_CAP_BUFFER_TRACKED, "buffer_wait"},
                              claim{SPOC_BE_CAP_BUFFER_HOST_PTR, "buffer_host_access"},
                              claim{SPOC_BE_CAP_PINNED, "pinned_alloc"},
                              claim{SPOC_BE_CAP_REGISTER, "host_register"},
                              claim{SPOC_BE_CAP_HOST_QUERY, "host_query"},
                              claim{SPOC_BE_CAP_STREAM_DEFERRED, "stream_flush"},
                              claim{SPOC_BE_CAP_EVENT_TIMING, "event_elapsed"},
                              claim{SPOC_BE_CAP_PEER_COPY, "peer_query"},
                              claim{SPOC_BE_CAP_PROGRAM_BINARY, "program_binary"},
                              claim{SPOC_BE_CAP_LAUNCH_ENQUEUED, "launch"},
                              claim{SPOC_BE_CAP_REFLECTION, "kernel_params"},
                              claim{SPOC_BE_CAP_BUFFER_UNIFIED, "buffer_host_access"});
    recorder& rec = add("bare", entries::none);
    rec.devices.resize(2, rec.devices[0]);
    set_capability(rec.devices[1], one.capability, true);
    SECTION("when the claim is a known one") {
        start();
        CHECK(device_count() == 0);
        const answer refused = ask(spoc_backend_require, "bare");
        CHECK(refused.text() == "unavailable abi_mismatch");
        CHECK(refused.error.reason == SPOC_BE_REASON_INCONSISTENT);
        CHECK(contains(refused.message(), one.entry));
    }
    SECTION("but not when the plugin does not know the bit") {
        set_known(rec.devices[1], one.capability, false);
        start();
        CHECK(device_count() == 2);
    }
}

TEST_CASE_METHOD(runtime_fixture, "Unified memory that is concurrent needs no entry") {
    recorder& rec = add("bare", entries::none);
    set_capability(rec.devices[0], SPOC_BE_CAP_BUFFER_UNIFIED, true);
    set_capability(rec.devices[0], SPOC_BE_CAP_UNIFIED_CONCURRENT, true);
    start();
    CHECK(device_count() == 1);
}

}  // namespace spoc::test
