// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/captured_stderr.hpp"
#include "support/environment.hpp"
#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;

std::string init(const spoc_options& options) { return told(spoc_init, &options); }

/// Places of the entries in a call log, -1 where there is none.
std::ptrdiff_t place(const strings& log, const std::string& entry) {
    const auto found = std::find(log.begin(), log.end(), entry);
    return found == log.end() ? -1 : found - log.begin();
}

/// Three backends and the order in which they are opened and closed.
struct life_fixture : runtime_fixture {
    strings life;

    life_fixture() {
        for (const char* name : {"aa", "bb", "cc"}) {
            add(name).hook = [this, name](std::string_view entry) {
                if (entry == "open" || entry == "close") {
                    life.push_back(std::string(entry) + ' ' + name);
                }
            };
        }
    }
};

}  // namespace

// Run by itself in a process of its own: in all others some test was here before.
TEST_CASE("Before the first start every function says that it is missing", "[.first_use]") {
    std::uint32_t count = 77;
    CHECK(told(spoc_device_count, &count) == "unavailable not_initialised");
    CHECK(told(spoc_backend_count, &count) == "unavailable not_initialised");
    CHECK(told(spoc_search_count, &count) == "unavailable not_initialised");
    CHECK(told(spoc_backends_probe, SPOC_BE_PROBE_PASSIVE) == "unavailable not_initialised");
    CHECK(told(spoc_backend_require, "native") == "unavailable not_initialised");
    CHECK(told(spoc_shutdown) == "unavailable not_initialised");
    CHECK(count == 77);
}

TEST_CASE("A value that a variable does not take is one warning, with the default") {
    environment variables;
    variables.set("SPOC_LOG", "loud");
    captured_stderr captured;
    CHECK(told(spoc_init, static_cast<const spoc_options*>(nullptr)) == "ok");
    CHECK(told(spoc_shutdown) == "ok");
    CHECK(captured.text() ==
          "spoc: warning: core: SPOC_LOG has the value \"loud\", which it does not take; its "
          "default holds: warn\n");
}

TEST_CASE_METHOD(runtime_fixture, "Options that make no sense start nothing [R-002]") {
    auto options = sized<spoc_options>();
    SECTION("an unknown flag") {
        options.flags = 16;
        CHECK(init(options) == "invalid_argument value");
    }
    SECTION("flags that contradict each other") {
        options.flags = SPOC_ISOLATE_PROBES | SPOC_NEVER_ISOLATE;
        CHECK(init(options) == "invalid_argument value");
    }
    SECTION("a size that is not set") {
        options.size = 0;
        CHECK(init(options) == "invalid_argument value");
    }
    SECTION("a size of which no version is") {
        options.size = 7;
        CHECK(init(options) == "invalid_argument value");
    }
    SECTION("directories that are not there") {
        options.plugin_dir_count = 1;
        CHECK(init(options) == "invalid_argument null");
    }
    SECTION("a directory that is not absolute") {
        const std::array<const char*, 2> dirs = {"/usr", GENERATE("", "plugins", "./x", "../x")};
        options.plugin_dirs = dirs.data();
        options.plugin_dir_count = dirs.size();
        CHECK(init(options) == "invalid_argument name");
    }
    SECTION("a directory that is null") {
        const std::array<const char*, 1> dirs = {nullptr};
        options.plugin_dirs = dirs.data();
        options.plugin_dir_count = dirs.size();
        CHECK(init(options) == "invalid_argument name");
    }
    CHECK(told(spoc_shutdown) == "unavailable not_initialised");
}

TEST_CASE_METHOD(runtime_fixture,
                 "A shorter structure of options leaves the rest at its defaults") {
    auto options = sized<spoc_options>();
    options.size = offsetof(spoc_options, probe_timeout_ms);
    options.plugin_dir_count = 12345;  // lies beyond the size, so it must not be read
    CHECK(init(options) == "ok");
    CHECK(told(spoc_shutdown) == "ok");
}

TEST_CASE_METHOD(runtime_fixture, "A runtime that runs takes no options") {
    const auto options = sized<spoc_options>();
    CHECK(told(spoc_init, static_cast<const spoc_options*>(nullptr)) == "ok");
    CHECK(init(options) == "invalid_argument busy");
    CHECK(told(spoc_shutdown) == "ok");
    CHECK(told(spoc_shutdown) == "unavailable not_initialised");
}

TEST_CASE_METHOD(device_fixture, "The runtime ends with the last of its references") {
    begin();
    CHECK(told(spoc_init, static_cast<const spoc_options*>(nullptr)) == "ok");
    CHECK(told(spoc_shutdown) == "ok");
    CHECK(rec.open);
    CHECK(device_count() == 1);
    stop();
    CHECK_FALSE(rec.open);
    std::uint32_t count = 77;
    CHECK(told(spoc_device_count, &count) == "unavailable shut_down");
    CHECK(count == 77);
}

TEST_CASE_METHOD(runtime_fixture, "Directories of the program are copied and searched first") {
    const temporary_folder own;
    write_recorder(own, "rec");
    auto options = sized<spoc_options>();
    {
        const auto path = std::make_unique<std::string>(own.path().string());
        const std::array<const char*, 1> dirs = {path->c_str()};
        options.plugin_dirs = dirs.data();
        options.plugin_dir_count = dirs.size();
        REQUIRE(init(options) == "ok");
    }
    auto first = sized<spoc_search_place>();
    CHECK(told(spoc_search_get, 0U, &first) == "ok");
    CHECK(first.source == SPOC_SEARCH_APPLICATION);
    CHECK(std::string(first.path) == own.path().string());
    CHECK(first.files == 1);
    CHECK(told(spoc_backend_require, "rec") == "ok");
    CHECK(told(spoc_shutdown) == "ok");
}

TEST_CASE_METHOD(device_fixture, "Starting loads nothing, listing probes only, devices enumerate") {
    start();
    CHECK(rec.entries() == strings{});
    std::uint32_t count = 0;
    CHECK(told(spoc_backend_count, &count) == "ok");
    CHECK(rec.entries() == strings{"probe"});
    CHECK(told(spoc_device_count, &count) == "ok");
    CHECK(rec.entries() ==
          strings{"probe", "probe_enumerate", "open", "device_count", "device_info"});
    CHECK(told(spoc_device_count, &count) == "ok");
    CHECK(rec.entries().size() == 5);
}

TEST_CASE_METHOD(device_fixture,
                 "Shutdown ends buffers, staging, the device and the backend in turn") {
    info().pageable_max = 0;
    const spoc_buffer small = begin_with_buffer(64);
    upload(small, pattern(64));
    stop();
    const strings log = rec.entries();
    CHECK(place(log, "buffer_destroy") > place(log, "copy"));
    CHECK(place(log, "stream_sync") < place(log, "buffer_destroy"));
    CHECK(place(log, "stream_sync") < place(log, "pinned_free"));
    CHECK(place(log, "device_close") > place(log, "buffer_destroy"));
    CHECK(place(log, "device_close") > place(log, "pinned_free"));
    CHECK(place(log, "close") > place(log, "device_close"));
    CHECK(rec.count("stream_sync") == 1);
    CHECK(rec.calls("stream_sync")[0].timeout_ns == SPOC_BE_FOREVER);
}

TEST_CASE_METHOD(life_fixture, "Backends are closed in the reverse order of the list") {
    start();
    device_count();
    stop();
    CHECK(life == strings{"open aa", "open bb", "open cc", "close cc", "close bb", "close aa"});
}

TEST_CASE_METHOD(life_fixture,
                 "Backends that were opened in another order are closed in its reverse") {
    start();
    CHECK(told(spoc_backend_require, "cc") == "ok");
    device_count();
    stop();
    CHECK(life == strings{"open cc", "open aa", "open bb", "close bb", "close aa", "close cc"});
}

TEST_CASE_METHOD(device_fixture, "Failures while closing are not the caller's") {
    const char* entry =
        GENERATE("stream_sync", "buffer_destroy", "pinned_free", "device_close", "close");
    info().pageable_max = 0;
    variables.set("SPOC_LOG", "off");
    const spoc_buffer small = begin_with_buffer(64);
    upload(small, pattern(64));
    fault broken;
    broken.entry = entry;
    rec.faults.push_back(broken);
    CHECK(told(spoc_shutdown) == "ok");
    CHECK(rec.count("close") == 1);
    start();  // so that the fixture has something to stop
}

TEST_CASE_METHOD(device_fixture,
                 "A buffer outlives the runtime as a refusal, and no plugin is called") {
    const spoc_buffer old = begin_with_buffer(64);
    const spoc_buffer old_empty = buffer(device, 0);
    stop();
    rec.forget();
    std::array<std::byte, 64> host{};
    const auto check_refused = [&] {
        for (const spoc_buffer one : {old, old_empty}) {
            const std::uint64_t bytes = one == old ? 64 : 0;
            CHECK(told(spoc_copy_to_device, static_cast<const void*>(host.data()), bytes, one,
                       std::uint64_t{0}) == "unavailable shut_down");
            CHECK(told(spoc_copy_to_host, one, std::uint64_t{0}, static_cast<void*>(host.data()),
                       bytes) == "unavailable shut_down");
            CHECK(told(spoc_fill, one, std::uint64_t{0}, bytes, 0U, 1U) == "unavailable shut_down");
            auto info = sized<spoc_buffer_info>();
            CHECK(told(spoc_buffer_describe, one, &info) == "ok");
            CHECK(info.bytes == bytes);
        }
        CHECK(told(spoc_copy_on_device, old, std::uint64_t{0}, old, std::uint64_t{32},
                   std::uint64_t{8}) == "unavailable shut_down");
    };
    check_refused();
    CHECK(rec.entries() == strings{});
    start();
    check_refused();
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture,
                 "A device of an earlier runtime is described and refuses the rest") {
    begin();
    const spoc_device old = device;
    stop();
    start();
    auto described = sized<spoc_device_info>();
    CHECK(told(spoc_device_describe, old, &described) == "ok");
    CHECK(std::string(described.selector) == "rec:0");
    spoc_buffer made = nullptr;
    CHECK(told(spoc_buffer_create, old, std::uint64_t{64}, &made) == "unavailable shut_down");
    CHECK(made == nullptr);
    auto memory = sized<spoc_be_memory_info>();
    CHECK(told(spoc_device_memory, old, &memory) == "unavailable shut_down");
    std::uint32_t health = SPOC_HEALTH_GOOD;
    CHECK(told(spoc_device_health, old, &health) == "unavailable shut_down");
    CHECK(device_at(0) != old);
}

TEST_CASE_METHOD(device_fixture,
                 "A device of an earlier runtime has no plugin to ask for reasons") {
    begin();
    stop();
    start();
    std::uint32_t state = 77;
    std::array<char, 64> reason{};
    // The backend of the new runtime is not open.
    told(spoc_device_capability, device, SPOC_BE_CAP_FP64, &state, reason.data(),
         std::uint64_t{reason.size()});
    CHECK(rec.count("cap_reason") == 0);
}

TEST_CASE_METHOD(device_fixture, "Destroying a buffer after shutdown frees the handle alone") {
    begin();
    spoc_buffer late = nullptr;
    REQUIRE(told(spoc_buffer_create, device, std::uint64_t{64}, &late) == "ok");
    stop();
    rec.forget();
    CHECK(told(spoc_buffer_destroy, late) == "ok");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "Threads that start and end the runtime at once share one") {
    start();
    std::atomic<int> failures{0};
    {
        std::array<std::jthread, 8> threads;
        for (std::jthread& one : threads) {
            one = std::jthread([&failures] {
                for (int round = 0; round < 50; ++round) {
                    std::uint32_t count = 0;
                    failures += spoc_init(nullptr, nullptr) != SPOC_OK ? 1 : 0;
                    failures += spoc_device_count(&count, nullptr) != SPOC_OK || count != 1 ? 1 : 0;
                    failures += spoc_shutdown(nullptr) != SPOC_OK ? 1 : 0;
                }
            });
        }
    }
    CHECK(failures == 0);
    CHECK(rec.count("open") == 1);
}

TEST_CASE_METHOD(device_fixture,
                 "Threads that each start a life of their own meet no half-made runtime") {
    variables.set("SPOC_PLUGIN_FILES", folder.path() / "libspoc-rec.so");
    std::atomic<int> failures{0};
    {
        std::array<std::jthread, 4> threads;
        for (std::jthread& one : threads) {
            one = std::jthread([&failures] {
                for (int round = 0; round < 10; ++round) {
                    std::uint32_t count = 0;
                    failures += spoc_init(nullptr, nullptr) != SPOC_OK ? 1 : 0;
                    failures += spoc_device_count(&count, nullptr) != SPOC_OK || count != 1 ? 1 : 0;
                    failures += spoc_shutdown(nullptr) != SPOC_OK ? 1 : 0;
                }
            });
        }
    }
    CHECK(failures == 0);
    CHECK(rec.count("open") == rec.count("close"));
}

TEST_CASE("The version is the one of the header") {
    CHECK(std::string(spoc_version()) == std::to_string(SPOC_VERSION_MAJOR) + '.' +
                                             std::to_string(SPOC_VERSION_MINOR) + '.' +
                                             std::to_string(SPOC_VERSION_PATCH));
}

}  // namespace spoc::test
