// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {
namespace {

void do_nothing(const spoc_native_block* /*block*/, void* const* /*args*/) {}

}  // namespace

TEST_CASE("The table has the header, the name and every required entry") {
    const spoc_be_table& be = table();
    CHECK(be.header.magic == SPOC_BE_MAGIC);
    CHECK(be.header.size == sizeof be);
    CHECK(std::string(be.name) == "native");
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member takes none
#define SPOC_TEST_ENTRY(number, entry, required) CHECK((!required || be.entry != nullptr));
    SPOC_BE_ENTRY_LIST(SPOC_TEST_ENTRY)
#undef SPOC_TEST_ENTRY
}

TEST_CASE("A probe answers without an open backend, again and again, and starts no thread") {
    counting_host host;
    const std::size_t threads = thread_count();
    for (const uint32_t level :
         {SPOC_BE_PROBE_PASSIVE, SPOC_BE_PROBE_ENUMERATE, SPOC_BE_PROBE_PASSIVE}) {
        auto report = sized<spoc_be_probe_report>();
        REQUIRE(table().probe(&host.services, level, &report, nullptr) == SPOC_BE_OK);
        CHECK(report.level == level);
        CHECK(report.reason == SPOC_BE_REASON_NONE);
        CHECK(report.device_count == 1);
        CHECK(report.threads_started == 0);
    }
    CHECK(thread_count() == threads);
    CHECK(host.live_blocks == 0);
}

TEST_CASE("The backend can be closed and opened a hundred times") {
    static const spoc_native_kernel description = describe(do_nothing);
    const std::size_t threads = thread_count();
    for (int round = 0; round < 100; ++round) {
        plugin_fixture fixture("3");
        launch_call call{.kernel = fixture.kernel("reopened", description), .grid = {16, 1, 1}};
        REQUIRE(call.run(fixture.default_stream) == SPOC_BE_OK);
    }
    CHECK(thread_count() == threads);
}

TEST_CASE("Opening an open backend changes nothing") {
    plugin_fixture fixture;
    const int blocks = fixture.host.live_blocks;
    CHECK(fixture.be.open(&fixture.host.services, nullptr, nullptr) == SPOC_BE_OK);
    CHECK(fixture.host.live_blocks == blocks);
}

TEST_CASE("A backend that was probed and not opened can be closed") {
    counting_host host;
    auto report = sized<spoc_be_probe_report>();
    CHECK(table().probe(&host.services, SPOC_BE_PROBE_ENUMERATE, &report, nullptr) == SPOC_BE_OK);
    CHECK(table().close(nullptr) == SPOC_BE_OK);
}

TEST_CASE("An open without host memory fails and can be closed and tried again") {
    counting_host host;
    host.exhausted = true;
    CHECK(table().open(&host.services, nullptr, nullptr) == SPOC_BE_HOST_MEMORY);
    CHECK(table().close(nullptr) == SPOC_BE_OK);
    host.exhausted = false;
    CHECK(table().open(&host.services, nullptr, nullptr) == SPOC_BE_OK);
    CHECK(table().close(nullptr) == SPOC_BE_OK);
    CHECK(host.live_blocks == 0);
}

TEST_CASE("After a shutdown the backend can be opened again") {
    {
        plugin_fixture fixture;
        fixture.be.quiesce(SPOC_BE_QUIESCE_SHUTDOWN);
        fixture.be.quiesce(SPOC_BE_QUIESCE_SHUTDOWN);
    }
    plugin_fixture fixture;
    CHECK(fixture.buffer(1) != nullptr);
}

TEST_CASE("An interface is found by its name and least size") {
    const void* found = nullptr;
    const spoc_be_table& be = table();
    CHECK(be.get_interface(SPOC_NATIVE_KERNELS_INTERFACE, 4, &found, nullptr) == SPOC_BE_OK);
    CHECK(found != nullptr);
    found = nullptr;
    CHECK(be.get_interface(SPOC_NATIVE_KERNELS_INTERFACE, sizeof(spoc_native_kernels) + 1, &found,
                           nullptr) == SPOC_BE_UNSUPPORTED);
    CHECK(be.get_interface("test.gate", 4, &found, nullptr) == SPOC_BE_UNSUPPORTED);
    CHECK(found == nullptr);
}

TEST_CASE("A process that returns from main with an open backend ends at once and says nothing") {
    for (const char* way : {"return", "exit", "quick_exit", "exit-in-launch"}) {
        INFO(way);
        const std::string command = std::string(SPOC_TEST_NATIVE_LEAVER) + " " + way + " 2>&1";
        FILE* output = ::popen(command.c_str(), "r");
        REQUIRE(output != nullptr);
        std::array<char, 256> said{};
        const std::size_t length = std::fread(said.data(), 1, said.size() - 1, output);
        const int status = ::pclose(output);
        CHECK(std::string(said.data(), length).empty());
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
}

}  // namespace spoc::test
