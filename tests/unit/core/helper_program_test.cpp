// SPDX-License-Identifier: Apache-2.0

/// \file
/// The program that libspoc starts to probe a plugin, started by hand and by the library.

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "probe_helper.hpp"
#include "probe_wire.hpp"
#include "support/catch.hpp"
#include "support/recorder_file.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

using namespace std::chrono_literals;
using test::temporary_folder;

std::string fixture(const temporary_folder& folder, const std::string& name) {
    const std::string file = "libspoc-" + name + ".so";
    return folder.write(file, test::read_file(SPOC_TEST_FIXTURES "/" + file));
}

spoc_backend_info probe(const std::string& name, const std::string& file) {
    spoc_backend_info candidate{};
    candidate.size = sizeof candidate;
    copy_text(candidate.name, name);
    copy_text(candidate.file, file);
    return probe_in_helper(SPOC_TEST_PROBE, candidate, SPOC_STAGE_ENUMERATED, 60s);
}

/// Starts the helper with the pipe's end as descriptor 3. Does not return.
[[noreturn]] void become_helper(int pipe_end, const std::string& name, const std::string& file,
                                const std::string& parent) {
    ::dup2(pipe_end, probe_descriptor);
    ::execl(SPOC_TEST_PROBE, SPOC_TEST_PROBE, name.c_str(), file.c_str(), "4", parent.c_str(),
            static_cast<char*>(nullptr));
    ::_exit(127);
}

int status_of(const char* arguments) {
    const std::string command = std::string(SPOC_TEST_PROBE) + ' ' + arguments + " 2>/dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
}

}  // namespace

TEST_CASE("The helper refuses to be used by hand") {
    CHECK(status_of("") == 2);
    CHECK(status_of("a b 1 1 3>&-") == 2);
    CHECK(status_of("a b one 1 3>/dev/null") == 2);
    CHECK(status_of("a b 1 1x 3>/dev/null") == 2);
    CHECK(status_of("a b 1 1 3>/dev/null") == 1);  // process 1 is not its parent
}

TEST_CASE("The helper reports each stage, so that what came before a crash is known") {
    const temporary_folder folder;
    const spoc_backend_info good = probe("acme", fixture(folder, "acme"));
    CHECK(good.reason == SPOC_BE_REASON_NONE);
    CHECK(good.stage == SPOC_STAGE_ENUMERATED);
    CHECK(good.device_count == 1);
    const spoc_backend_info crashed = probe("aborts", fixture(folder, "aborts"));
    CHECK(crashed.reason == SPOC_BE_REASON_PROBE_CRASHED);
    CHECK(crashed.stage == SPOC_STAGE_TABLE);
    CHECK(crashed.abi_major == SPOC_BE_ABI_MAJOR);
    const spoc_backend_info refused = probe("refused", fixture(folder, "refused"));
    CHECK(refused.stage == SPOC_STAGE_TABLE);
    CHECK(refused.reason != SPOC_BE_REASON_NONE);
    CHECK(refused.reason != SPOC_BE_REASON_PROBE_CRASHED);
}

TEST_CASE("The helper dies with the program that started it") {
    const temporary_folder folder;
    const std::string file = fixture(folder, "hangs");
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const pid_t starter = ::fork();
    REQUIRE(starter >= 0);
    if (starter == 0) {
        const std::string parent = std::to_string(::getpid());
        if (::fork() == 0) {
            become_helper(ends[1], "hangs", file, parent);
        }
        ::close(ends[1]);
        // Ends in the middle of the helper's work.
        probe_record record{};
        ::_exit(::read(ends[0], &record, sizeof record) > 0 ? 0 : 1);
    }
    ::close(ends[1]);
    int status = -1;
    REQUIRE(::waitpid(starter, &status, 0) == starter);
    CHECK(status == 0);
    // The end of the stream is the end of the last process that could write to it.
    std::array<char, 1 << 16> rest{};
    pollfd watched{ends[0], POLLIN, 0};
    ssize_t got = 1;
    while (got > 0 && ::poll(&watched, 1, 20000) == 1) {
        got = ::read(ends[0], rest.data(), rest.size());
    }
    CHECK(got == 0);
    ::close(ends[0]);
}

}  // namespace spoc::detail
