// SPDX-License-Identifier: Apache-2.0
#include "probe_helper.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "probe_wire.hpp"
#include "support/catch.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

using namespace std::chrono_literals;

spoc_backend_info candidate(const char* way) {
    spoc_backend_info info{};
    info.size = sizeof info;
    info.device_count = SPOC_BE_UNKNOWN_32;
    copy_text(info.name, way);
    copy_text(info.file, "/some where/libspoc-x.so");
    return info;
}

spoc_backend_info probe(const char* way, std::chrono::milliseconds time_out = 20s) {
    return probe_in_helper(SPOC_TEST_FAKE_HELPER, candidate(way), SPOC_STAGE_PASSIVE, time_out);
}

std::string reason(const spoc_backend_info& info) { return spoc_reason_name(info.reason); }

/// Whether a process runs; one that was killed and not yet reaped does not.
bool runs(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) {
        return false;
    }
    const char state = line[line.rfind(')') + 2];
    return state != 'Z' && state != 'X';
}

/// The kernel takes a moment to end a process that was killed.
bool ends_soon(pid_t pid) {
    for (int i = 0; i < 200 && runs(pid); ++i) {
        std::this_thread::sleep_for(10ms);
    }
    return !runs(pid);
}

/// No child of this process is left, not even as a zombie.
bool no_child_is_left() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

}  // namespace

TEST_CASE("A helper's last record is the answer") {
    const spoc_backend_info answer = probe("answers");
    CHECK(reason(answer) == "NONE");
    CHECK(std::string(answer.name) == "answers");
    CHECK(answer.stage == SPOC_STAGE_LOADED);
    CHECK(no_child_is_left());
}

TEST_CASE("Signals that interrupt the wait lose no record") {
    struct sigaction count {};
    struct sigaction before {};
    count.sa_handler = [](int) { std::this_thread::sleep_for(500us); };
    REQUIRE(::sigaction(SIGALRM, &count, &before) == 0);
    const itimerval often = {{0, 1000}, {0, 1000}};
    REQUIRE(::setitimer(ITIMER_REAL, &often, nullptr) == 0);
    int answered = 0;
    constexpr int probes = 100;
    for (int i = 0; i < probes; ++i) {
        answered += reason(probe("answers")) == "NONE" ? 1 : 0;
    }
    const itimerval never{};
    REQUIRE(::setitimer(ITIMER_REAL, &never, nullptr) == 0);
    REQUIRE(::sigaction(SIGALRM, &before, nullptr) == 0);
    CHECK(answered == probes);
}

TEST_CASE("A helper starts in a group of its own, with default signals and nothing open") {
    const int leaky = ::fcntl(STDIN_FILENO, F_DUPFD, 100);  // without close-on-exec
    REQUIRE(leaky >= 100);
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    ::sigprocmask(SIG_BLOCK, &blocked, &before);
    const auto old = ::signal(SIGUSR1, SIG_IGN);
    const spoc_backend_info answer = probe("surroundings");
    static_cast<void>(::signal(SIGUSR1, old));
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(leaky);
    CHECK(std::string(answer.message) == "/some where/libspoc-x.so " +
                                             std::to_string(SPOC_STAGE_PASSIVE) +
                                             " parent silent leader default");
}

TEST_CASE("A record that comes in pieces is put together") {
    const spoc_backend_info answer = probe("pieces");
    CHECK(reason(answer) == "NONE");
    CHECK(std::string(answer.name) == "pieces");
}

TEST_CASE("A helper that ends without its last record has crashed") {
    struct row {
        const char* way;
        const char* words;
        std::uint32_t stage;
    };
    const auto one = GENERATE(row{"exits_7", "ended with status 7", SPOC_STAGE_NONE},
                              row{"exits_0", "ended with status 0", SPOC_STAGE_LOADED},
                              row{"dies", "SIGSEGV", SPOC_STAGE_LOADED},
                              row{"garbage", "ended with status 0", SPOC_STAGE_NONE},
                              row{"half", "ended with status 0", SPOC_STAGE_LOADED},
                              row{"other_build", "ended with status 0", SPOC_STAGE_NONE});
    CAPTURE(one.way);
    const spoc_backend_info answer = probe(one.way);
    CHECK(reason(answer) == "PROBE_CRASHED");
    CHECK(answer.state == SPOC_STATE_FAULTY);
    CHECK(answer.stage == one.stage);
    CHECK(std::string(answer.name) == one.way);
    CHECK(std::string(answer.message).find(one.words) != std::string::npos);
    CHECK(std::string(answer.message).find(spoc_stage_name(one.stage)) != std::string::npos);
    CHECK(std::string(answer.hint) == spoc_reason_hint(SPOC_BE_REASON_PROBE_CRASHED));
    CHECK(no_child_is_left());
}

TEST_CASE("A helper that does not end is given up, and ended") {
    const char* way = GENERATE("hangs", "closes", "child_hangs");
    CAPTURE(way);
    const auto begin = std::chrono::steady_clock::now();
    const spoc_backend_info answer = probe(way, 200ms);
    const auto took = std::chrono::steady_clock::now() - begin;
    CHECK(reason(answer) == "PROBE_TIMEOUT");
    CHECK(answer.stage == SPOC_STAGE_LOADED);
    CHECK(std::string(answer.message).find("200 ms") != std::string::npos);
    CHECK(took >= 200ms);
    CHECK(took < 10s);
    CHECK_FALSE(runs(static_cast<pid_t>(answer.native_code)));
    CHECK((answer.elapsed_ns == 0 || ends_soon(static_cast<pid_t>(answer.elapsed_ns))));
    CHECK(no_child_is_left());
}

TEST_CASE("A helper that writes without end is given up, and ended") {
    const auto begin = std::chrono::steady_clock::now();
    const spoc_backend_info answer = probe("floods", 200ms);
    CHECK(reason(answer) == "PROBE_TIMEOUT");
    CHECK(std::chrono::steady_clock::now() - begin < 10s);
    CHECK(no_child_is_left());
}

TEST_CASE("A helper that has answered and does not end has answered") {
    const spoc_backend_info answer = probe("answers_hangs", 200ms);
    CHECK(reason(answer) == "NONE");
    CHECK_FALSE(runs(static_cast<pid_t>(answer.native_code)));
    CHECK(no_child_is_left());
}

TEST_CASE("What a helper leaves in its group is ended with it") {
    const auto begin = std::chrono::steady_clock::now();
    const spoc_backend_info answer = probe("leaves_child");
    CHECK(reason(answer) == "NONE");
    REQUIRE(answer.elapsed_ns != 0);
    CHECK(ends_soon(static_cast<pid_t>(answer.elapsed_ns)));
    CHECK(std::chrono::steady_clock::now() - begin < 10s);
}

TEST_CASE("A helper that cannot be started is told with its path") {
    const spoc_backend_info answer =
        probe_in_helper("/no/such/helper", candidate("answers"), SPOC_STAGE_PASSIVE, 1s);
    CHECK(reason(answer) == "INTERNAL");
    CHECK(std::string(answer.message).find("/no/such/helper") != std::string::npos);
    CHECK(answer.stage == SPOC_STAGE_NONE);
    CHECK(no_child_is_left());
}

TEST_CASE("An application that reaps every child still gets the answer") {
    const auto old = ::signal(SIGCHLD, SIG_IGN);
    const spoc_backend_info answer = probe("answers");
    const spoc_backend_info crashed = probe("exits_7");
    static_cast<void>(::signal(SIGCHLD, old));
    CHECK(reason(answer) == "NONE");
    CHECK(reason(crashed) == "PROBE_CRASHED");
    const std::string message = crashed.message;
    CHECK(message.find("status") == std::string::npos);
    CHECK(message.find("SIGCHLD") != std::string::npos);
}

TEST_CASE("Probes in several threads do not take each other's helpers") {
    std::atomic<int> wrong{0};
    {
        std::array<std::jthread, 4> threads;
        for (int i = 0; i < 4; ++i) {
            threads[static_cast<std::size_t>(i)] = std::jthread([&wrong, i] {
                for (int round = 0; round < 3; ++round) {
                    const char* way = i % 2 == 0 ? "answers" : "exits_7";
                    const spoc_backend_info answer = probe(way);
                    const bool right = (answer.reason == SPOC_BE_REASON_NONE) == (i % 2 == 0) &&
                                       std::strcmp(answer.name, way) == 0;
                    wrong += right ? 0 : 1;
                }
            });
        }
    }
    CHECK(wrong == 0);
    CHECK(no_child_is_left());
}

}  // namespace spoc::detail
