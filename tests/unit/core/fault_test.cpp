// SPDX-License-Identifier: Apache-2.0

/// \file
/// Every entry is made to fail at each of its calls, while a program uses all of the library.

#include <array>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using bytes = std::vector<std::byte>;

constexpr std::uint64_t size_bytes = 512;

/// A program that goes on whatever fails, and what it saw.
class program {
 public:
    explicit program(runtime_fixture& runtime) : runtime_(runtime) {}

    void run() {
        runtime_.start();
        std::uint32_t count = 0;
        note(told(spoc_device_count, &count));
        for (std::uint32_t id = 0; id < count; ++id) {
            use(runtime_.device_at(id));
        }
        if (buffers_.size() > 1) {
            note(told(spoc_copy_on_device, buffers_[0], std::uint64_t{1}, buffers_[1],
                      std::uint64_t{2}, std::uint64_t{100}));
        }
        for (spoc_buffer made : buffers_) {
            note(told(spoc_buffer_destroy, made));
        }
        runtime_.stop();
    }

    int failures() const { return failures_; }

 private:
    void note(const std::string& told_us) {
        failures_ += told_us == "ok" ? 0 : 1;
        CHECK(told_us.substr(0, 16) != "invalid_argument");
        CHECK(told_us.substr(0, 14) != "internal_error");
    }

    void use(spoc_device device) {
        auto memory = sized<spoc_be_memory_info>();
        const std::string asked = told(spoc_device_memory, device, &memory);
        note(asked);
        CHECK((asked == "ok" || memory.total == 0));
        spoc_buffer made = nullptr;
        const std::string created = told(spoc_buffer_create, device, size_bytes, &made);
        note(created);
        CHECK((created == "ok") == (made != nullptr));
        if (made != nullptr) {
            buffers_.push_back(made);
            copy(made);
        }
        std::array<spoc_self_test_step, 16> steps{};
        std::uint32_t count = 0;
        note(told(spoc_device_self_test, device, steps.data(), 16U, &count));
        for (std::uint32_t i = 0; i < count; ++i) {
            failures_ += steps[i].outcome == SPOC_STEP_FAILED ? 1 : 0;
            CHECK((steps[i].outcome == SPOC_STEP_PASSED) == (steps[i].message[0] == '\0'));
        }
    }

    void copy(spoc_buffer made) {
        const bytes data = pattern(size_bytes);
        bytes back(size_bytes, std::byte{0xEE});
        bool whole = true;
        const auto step = [&](const std::string& told_us) {
            note(told_us);
            whole = whole && told_us == "ok";
        };
        step(told(spoc_copy_to_device, static_cast<const void*>(data.data()), size_bytes, made,
                  std::uint64_t{0}));
        step(told(spoc_copy_on_device, made, std::uint64_t{0}, made, std::uint64_t{256},
                  std::uint64_t{256}));
        step(told(spoc_fill, made, std::uint64_t{500}, std::uint64_t{12}, 0U, 4U));
        step(told(spoc_copy_to_host, made, std::uint64_t{0}, static_cast<void*>(back.data()),
                  size_bytes));
        // Whatever reported success did its work.
        CHECK((!whole ||
               (back[255] == data[255] && back[300] == data[44] && back[511] == std::byte{0})));
    }

    runtime_fixture& runtime_;
    std::vector<spoc_buffer> buffers_;
    int failures_ = 0;
};

const std::array entries_of_devices = {"probe",          "probe_enumerate",
                                       "open",           "device_count",
                                       "device_info",    "device_open",
                                       "device_close",   "device_memory",
                                       "buffer_create",  "buffer_destroy",
                                       "pinned_alloc",   "pinned_free",
                                       "peer_query",     "stream_create",
                                       "stream_destroy", "stream_sync",
                                       "stream_wait",    "event_create",
                                       "event_destroy",  "event_record",
                                       "event_query",    "copy",
                                       "fill",           "close"};

/// Entries that end something, so that the library goes on when they fail, and those that only the
/// self-test calls, which does not look at its second round.
bool may_pass_unseen(const std::string& entry, int skip) {
    const bool second_round =
        skip > 0 && (entry.starts_with("event") || entry.starts_with("stream"));
    return second_round || entry == "close" || entry == "device_close" || entry == "pinned_free" ||
           entry == "stream_destroy" || entry == "event_destroy" || entry == "buffer_destroy" ||
           entry == "stream_sync";
}

}  // namespace

TEST_CASE("Without a fault everything works") {
    runtime_fixture runtime;
    recorder& rec = runtime.add("rec");
    rec.devices[0].pageable_max = GENERATE(std::uint64_t{0}, std::uint64_t{100}, SPOC_BE_NO_LIMIT);
    rec.devices.resize(2, rec.devices[0]);
    program all(runtime);
    all.run();
    CHECK(all.failures() == 0);
    for (const char* entry : entries_of_devices) {
        INFO(entry);
        CHECK((rec.count(entry) > 0 || std::string(entry) == "pinned_alloc" ||
               std::string(entry) == "pinned_free"));
    }
}

TEST_CASE("An entry that fails is told, leaves nothing behind and spoils nothing else", "[R-003]") {
    const std::string entry = GENERATE(from_range(entries_of_devices));
    const int skip = GENERATE(0, 1, 2, 5);
    CAPTURE(entry, skip);
    runtime_fixture runtime;
    runtime.variables.set("SPOC_LOG", "off");
    recorder& rec = runtime.add("rec");
    rec.devices[0].pageable_max = 100;
    rec.devices.resize(2, rec.devices[0]);
    fault one;
    one.entry = entry;
    one.skip = skip;
    rec.faults.push_back(one);
    program all(runtime);
    all.run();
    const bool hit = rec.faults[0].times == 0;
    CHECK((!hit || may_pass_unseen(entry, skip) || all.failures() > 0 ||
           rec.count("device_count") != 1 || rec.count("device_open") == 0));
    CHECK((hit || all.failures() == 0));
}

TEST_CASE("An entry that always fails is no worse", "[R-003]") {
    const std::string entry = GENERATE(from_range(entries_of_devices));
    const std::int32_t status = GENERATE(SPOC_BE_DRIVER, SPOC_BE_OUT_OF_MEMORY, SPOC_BE_DEVICE_LOST,
                                         SPOC_BE_UNAVAILABLE, -1000);
    CAPTURE(entry, status);
    runtime_fixture runtime;
    runtime.variables.set("SPOC_LOG", "off");
    recorder& rec = runtime.add("rec");
    rec.devices[0].pageable_max = 100;
    rec.devices.resize(2, rec.devices[0]);
    fault all_of_them;
    all_of_them.entry = entry;
    all_of_them.status = status;
    all_of_them.times = 1 << 20;
    rec.faults.push_back(all_of_them);
    program all(runtime);
    all.run();
}

TEST_CASE("Refused work is not done by other entries", "[R-001]") {
    // The entries that could stand in for one that says it is not supported.
    device_fixture fixture;
    const spoc_buffer target = fixture.begin_with_buffer(64);
    fault refused;
    refused.status = SPOC_BE_UNSUPPORTED;
    refused.times = 100;
    SECTION("a copy") {
        refused.entry = "copy";
        fixture.rec.faults.push_back(refused);
        bytes host(64);
        CHECK(told(spoc_copy_to_device, static_cast<const void*>(host.data()), std::uint64_t{64},
                   target, std::uint64_t{0}) == "feature_not_supported none");
        CHECK(told(spoc_copy_to_host, target, std::uint64_t{0}, static_cast<void*>(host.data()),
                   std::uint64_t{64}) == "feature_not_supported none");
        CHECK(told(spoc_copy_on_device, target, std::uint64_t{0}, target, std::uint64_t{32},
                   std::uint64_t{32}) == "feature_not_supported none");
        CHECK(fixture.rec.entries() == std::vector<std::string>{"copy", "copy", "copy"});
    }
    SECTION("a fill") {
        refused.entry = "fill";
        fixture.rec.faults.push_back(refused);
        CHECK(told(spoc_fill, target, std::uint64_t{0}, std::uint64_t{64}, 0U, 1U) ==
              "feature_not_supported none");
        CHECK(fixture.rec.entries() == std::vector<std::string>{"fill"});
    }
}

}  // namespace spoc::test
