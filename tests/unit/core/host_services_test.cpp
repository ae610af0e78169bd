// SPDX-License-Identifier: Apache-2.0
#include "host_services.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "process_state.hpp"
#include "support/answer.hpp"
#include "support/captured_stderr.hpp"
#include "support/environment.hpp"
#include "support/recorder_file.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

/// Host services of a plugin called "rec".
struct services_fixture {
    test::environment variables;
    settings config = settings::read();
    host_services services{"rec", config};
    const spoc_be_host& host = *services.table();

    void* mem(void* block, std::uint64_t bytes, std::uint64_t alignment = 16) {
        return host.mem(host.ctx, block, bytes, alignment);
    }
    void* open(const std::vector<const char*>& names, spoc_be_error* error = nullptr,
               char* path = nullptr, std::uint64_t capacity = 0) {
        std::vector<const char*> ended = names;
        ended.push_back(nullptr);
        return host.vendor_open(host.ctx, ended.data(), path, capacity, error);
    }
};

bool aligned(const void* block, std::uint64_t alignment) {
    return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

}  // namespace

TEST_CASE_METHOD(services_fixture, "The host's table says what it is and has every service") {
    CHECK(host.header.magic == SPOC_BE_HOST_MAGIC);
    CHECK(host.header.size == sizeof(spoc_be_host));
    CHECK(host.header.major == SPOC_BE_ABI_MAJOR);
    CHECK(host.header.flavour == SPOC_BE_BUILD_FLAVOUR);
    CHECK(SPOC_HOST_HAS(&host, log));
    CHECK(SPOC_HOST_HAS(&host, mem));
    CHECK(SPOC_HOST_HAS(&host, config));
    CHECK(SPOC_HOST_HAS(&host, vendor_open));
    CHECK(SPOC_HOST_HAS(&host, vendor_sym));
    CHECK(SPOC_HOST_HAS(&host, vendor_close));
    CHECK(SPOC_HOST_HAS(&host, process_state));
    CHECK_FALSE(SPOC_HOST_HAS(&host, trace_begin));
    CHECK(*host.process_state == SPOC_BE_PROCESS_RUNNING);
    CHECK(host.process_state == process_state_word());
}

TEST_CASE_METHOD(services_fixture, "Memory is aligned as asked, writable and counted") {
    const std::uint64_t alignment = GENERATE(0U, 1U, 2U, 8U, 16U, 64U, 4096U, 1U << 20);
    std::vector<void*> blocks;
    for (std::uint64_t bytes = 1; bytes < 3000; bytes = bytes * 3 + 1) {
        void* block = mem(nullptr, bytes, alignment);
        REQUIRE(block != nullptr);
        CHECK(aligned(block, std::max<std::uint64_t>(alignment, 16)));
        std::memset(block, 0x5A, bytes);
        blocks.push_back(block);
        CHECK(services.live_blocks() == blocks.size());
    }
    for (void* block : blocks) {
        CHECK(mem(block, 0) == nullptr);
    }
    CHECK(services.live_blocks() == 0);
}

TEST_CASE_METHOD(services_fixture,
                 "A block that is resized keeps its contents and its first alignment") {
    auto* block = static_cast<unsigned char*>(mem(nullptr, 100, 4096));
    REQUIRE(block != nullptr);
    for (unsigned char i = 0; i < 100; ++i) {
        block[i] = i;
    }
    for (const std::uint64_t bytes : {5000U, 40U, 100000U, 41U}) {
        block = static_cast<unsigned char*>(mem(block, bytes, 1));
        REQUIRE(block != nullptr);
        CHECK(aligned(block, 4096));
        for (unsigned char i = 0; i < 40; ++i) {
            REQUIRE(block[i] == i);
        }
        std::memset(block + 40, 0xEE, bytes - 40);
        CHECK(services.live_blocks() == 1);
    }
    mem(block, 0);
    CHECK(services.live_blocks() == 0);
}

TEST_CASE_METHOD(services_fixture, "Freeing nothing is nothing") {
    CHECK(mem(nullptr, 0) == nullptr);
    CHECK(services.live_blocks() == 0);
}

TEST_CASE_METHOD(services_fixture,
                 "Memory that cannot be had is null, and the old block is as it was") {
    auto* block = static_cast<char*>(mem(nullptr, 8));
    REQUIRE(block != nullptr);
    copy_text(block, 8, "as was");
    for (const std::uint64_t bytes :
         {UINT64_MAX, UINT64_MAX - 64, std::uint64_t{1} << 63, std::uint64_t{INT64_MAX}}) {
        CHECK(mem(nullptr, bytes) == nullptr);
        CHECK(mem(block, bytes) == nullptr);
    }
    CHECK(std::string(block) == "as was");
    CHECK(services.live_blocks() == 1);
    mem(block, 0);
}

TEST_CASE_METHOD(services_fixture,
                 "An alignment that is no power of two, or none that can be had, is null") {
    CHECK(mem(nullptr, 8, 24) == nullptr);
    CHECK(mem(nullptr, 8, 4097) == nullptr);
    CHECK(mem(nullptr, 8, UINT64_MAX) == nullptr);
    CHECK(mem(nullptr, 8, std::uint64_t{1} << 63) == nullptr);
    CHECK(mem(nullptr, 8, std::uint64_t{1} << 62) == nullptr);
    CHECK(services.live_blocks() == 0);
}

TEST_CASE_METHOD(services_fixture, "A size and an alignment whose sum wraps around are null") {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    CHECK(mem(nullptr, half, half) == nullptr);
    CHECK(services.live_blocks() == 0);
}

TEST_CASE_METHOD(services_fixture, "Memory may be asked for by many threads at once") {
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t number = 0; number < 8; ++number) {
            threads.emplace_back([this, number] {
                for (std::uint64_t round = 1; round < 200; ++round) {
                    void* block = mem(nullptr, round, 64);
                    std::memset(block, static_cast<int>(number), round);
                    block = mem(block, round * 2, 64);
                    mem(block, 0);
                }
            });
        }
    }
    CHECK(services.live_blocks() == 0);
}

TEST_CASE("A plugin's settings come from the environment as it was") {
    test::environment variables;
    variables.set("SPOC_NATIVE_THREADS", "7");
    const settings config = settings::read();
    host_services services("native", config);
    const spoc_be_host& host = *services.table();
    CHECK(std::string(host.config(host.ctx, "native.threads")) == "7");
    CHECK(host.config(host.ctx, "native.other") == nullptr);
    CHECK(host.config(host.ctx, nullptr) == nullptr);
}

TEST_CASE_METHOD(services_fixture,
                 "A log line is written under the plugin's name, as long as it is said to be") {
    test::captured_stderr captured;
    host.log(host.ctx, SPOC_BE_LOG_ERROR, "one line and more", 8);
    host.log(host.ctx, SPOC_BE_LOG_DEBUG, "hidden", 6);
    host.log(host.ctx, SPOC_BE_LOG_ERROR, nullptr, 5);
    CHECK(captured.text() == "spoc: error: rec: one line\n");
}

TEST_CASE_METHOD(services_fixture,
                 "The first library that can be opened is opened, with its path") {
    const test::temporary_folder folder;
    const std::string first = test::write_recorder(folder, "first");
    const std::string second = test::write_recorder(folder, "second");
    std::array<char, 4096> path{};
    void* library = open({"libspoc-no-such-library.so.9", first.c_str(), second.c_str()}, nullptr,
                         path.data(), path.size());
    REQUIRE(library != nullptr);
    CHECK(std::string(path.data()) == first);
    CHECK(host.vendor_sym(host.ctx, library, SPOC_BE_SYMBOL) != nullptr);
    CHECK(host.vendor_sym(host.ctx, library, "no_such_symbol") == nullptr);
    CHECK(::dlopen(second.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr);
    host.vendor_close(host.ctx, library);
    // It stays mapped: drivers keep threads.
    CHECK(::dlopen(first.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr);
}

TEST_CASE_METHOD(services_fixture,
                 "A library that is loaded already comes before one that is not") {
    const test::temporary_folder folder;
    const std::string first = test::write_recorder(folder, "first");
    const std::string second = test::write_recorder(folder, "second");
    void* loaded = ::dlopen(second.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(loaded != nullptr);
    CHECK(open({first.c_str(), second.c_str()}) == loaded);
    CHECK(::dlopen(first.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr);
}

TEST_CASE_METHOD(services_fixture, "A path is cut to the caller's room") {
    std::array<char, 8> path{};
    path.fill('#');
    const std::string file = "libc.so.6";
    REQUIRE(open({file.c_str()}, nullptr, path.data(), 4) != nullptr);
    CHECK(path[3] == '\0');
    CHECK(path[4] == '#');
    REQUIRE(open({file.c_str()}, nullptr, path.data(), 0) != nullptr);
    CHECK(path[4] == '#');
}

TEST_CASE_METHOD(services_fixture,
                 "When no library can be opened the loader's words for every name are told") {
    auto error = test::sized<spoc_be_error>();
    CHECK(open({"libspoc-none-a.so", "libspoc-none-b.so"}, &error) == nullptr);
    CHECK(error.status == SPOC_BE_UNAVAILABLE);
    CHECK(error.reason == SPOC_BE_REASON_DRIVER_NOT_FOUND);
    CHECK(std::string(error.origin) == "dlopen");
    CHECK(test::contains(error.message, "libspoc-none-a.so: cannot open"));
    CHECK(test::contains(error.message, "libspoc-none-b.so: cannot open"));
    CHECK(open({"libspoc-none-a.so"}) == nullptr);
    CHECK(open({}, &error) == nullptr);
}

TEST_CASE_METHOD(services_fixture, "A failure is written as far as the plugin's record reaches") {
    alignas(spoc_be_error) std::array<unsigned char, sizeof(spoc_be_error)> room{};
    room.fill(0xC7);
    auto& error = *reinterpret_cast<spoc_be_error*>(room.data());
    error.size = offsetof(spoc_be_error, reason) + 4;
    CHECK(open({"libspoc-none-a.so"}, &error) == nullptr);
    CHECK(error.size == offsetof(spoc_be_error, reason) + 4);
    CHECK(error.reason == SPOC_BE_REASON_DRIVER_NOT_FOUND);
    CHECK(error.flags == 0xC7C7C7C7U);
}

TEST_CASE_METHOD(services_fixture, "A library that this user may not read is told apart") {
    const test::temporary_folder folder;
    const std::string file = test::write_recorder(folder, "secret");
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(file, std::filesystem::perms(0000));
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        constexpr uid_t nobody = 65534;
        const bool unprivileged = ::geteuid() != 0 || ::setresuid(nobody, nobody, nobody) == 0;
        auto error = test::sized<spoc_be_error>();
        const void* library = open({file.c_str()}, &error);
        ::_exit(unprivileged && library == nullptr && error.reason == SPOC_BE_REASON_NO_PERMISSION
                    ? 0
                    : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

}  // namespace spoc::detail
