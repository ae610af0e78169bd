// SPDX-License-Identifier: Apache-2.0

/// \file
/// What the process is doing is one state for all of it, so each of these tests forks a child of
/// its own to change it in.

#include "process_state.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include "support/catch.hpp"

namespace spoc::detail {
namespace {

int wait_for(pid_t child) {
    int status = -1;
    while (::waitpid(child, &status, 0) < 0) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/// What `body` returns in a child; 0 is what every test wants.
template <typename Body>
int in_child(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(body());
    }
    return wait_for(child);
}

/// The same in a child that the C library knows nothing of.
template <typename Body>
int in_raw_child(Body body) {
    const auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (child == 0) {
        ::_exit(body());
    }
    return wait_for(child);
}

int is_running() { return process_state() == SPOC_BE_PROCESS_RUNNING ? 0 : 1; }
int is_fork_child() {
    return process_state() == SPOC_BE_PROCESS_FORK_CHILD &&
                   *process_state_word() == SPOC_BE_PROCESS_FORK_CHILD
               ? 0
               : 1;
}

/// Registers a handler that runs at exit, after those registered later.
void at_exit(void (*handler)()) {
    if (std::atexit(handler) != 0) {
        ::_exit(99);
    }
}

int quiesced = 0;
void count_quiesce(std::uint32_t reason) { quiesced += reason == SPOC_BE_QUIESCE_EXIT ? 1 : 100; }

constexpr std::size_t many_plugins = 600;
std::array<int, many_plugins> told{};

template <std::size_t Number>
void count_told(std::uint32_t) {
    ++told[Number];
}

template <std::size_t... Numbers>
void ask_for_all(std::index_sequence<Numbers...>) {
    // A list, and no fold expression: clang nests those, and not as deep as this.
    for (const auto count : {&count_told<Numbers>...}) {
        quiesce_at_exit(count);
    }
}

bool all_told() {
    return std::all_of(told.begin(), told.end(), [](int times) { return times == 1; });
}

}  // namespace

TEST_CASE("A child forked before any driver lived goes on") {
    CHECK(in_child([] {
              watch_forks();
              return in_child(is_running) + in_raw_child(is_running) + is_running();
          }) == 0);
}

TEST_CASE("A child forked after a driver lived is told, and the parent goes on") {
    CHECK(in_child([] {
              watch_forks();
              drivers_may_be_alive();
              return in_child(is_fork_child) + is_running();
          }) == 0);
}

TEST_CASE("That holds without the C library's fork handlers too") {
    CHECK(in_child([] {
              watch_forks();
              drivers_may_be_alive();
              return in_raw_child(is_fork_child) + is_running();
          }) == 0);
}

TEST_CASE("A child's child is told as well") {
    CHECK(in_child([] {
              watch_forks();
              drivers_may_be_alive();
              return in_child([] { return in_child(is_fork_child) + in_raw_child(is_fork_child); });
          }) == 0);
}

TEST_CASE("A child forked while a call is in flight is told") {
    CHECK(in_child([] {
              watch_forks();
              const call_guard call;
              return in_child(is_fork_child) + is_running();
          }) == 0);
}

TEST_CASE("A child forked while the runtime is started or ended is told") {
    CHECK(in_child([] {
              watch_forks();
              const lifecycle_guard call;
              return in_child(is_fork_child) + is_running();
          }) == 0);
}

TEST_CASE("Calls in flight are counted, and know the state in which they began") {
    CHECK(calls_in_flight() == 0);
    {
        const call_guard first;
        const call_guard second;
        CHECK(first.state() == SPOC_BE_PROCESS_RUNNING);
        CHECK(calls_in_flight() == 2);
        const lifecycle_guard other;
        CHECK(calls_in_flight() == 2);
    }
    CHECK(calls_in_flight() == 0);
}

TEST_CASE("Calls that begin later, without a pause between them, do not hold shutdown up") {
    CHECK(in_child([] {
              // Ends the child by a signal when the wait has no end.
              ::alarm(30);
              std::atomic<bool> waited{false};
              auto call = std::make_unique<call_guard>();
              std::jthread shutdown([&waited] {
                  wait_for_earlier_calls();
                  waited = true;
              });
              while (!waited) {
                  auto next = std::make_unique<call_guard>();
                  call = std::move(next);
              }
              return 0;
          }) == 0);
}

TEST_CASE("At exit the state changes and each plugin is told once") {
    CHECK(in_child([] {
              watch_forks();
              // Registered first, so it runs after the library's handler.
              at_exit([] {
                  const bool right = process_state() == SPOC_BE_PROCESS_EXITING && quiesced == 1;
                  ::_exit(right ? 0 : 1);
              });
              drivers_may_be_alive();
              quiesce_at_exit(count_quiesce);
              quiesce_at_exit(count_quiesce);
              drivers_may_be_alive();
              std::exit(3);
              return 4;
          }) == 0);
}

TEST_CASE("However many plugins there are, each is told") {
    CHECK(in_child([] {
              watch_forks();
              at_exit([] { ::_exit(all_told() ? 0 : 1); });
              drivers_may_be_alive();
              ask_for_all(std::make_index_sequence<many_plugins>());
              std::exit(3);
              return 4;
          }) == 0);
}

TEST_CASE("Handlers that a driver registered before see that the process ends") {
    CHECK(in_child([] {
              watch_forks();
              drivers_may_be_alive();
              at_exit([] { ::_exit(process_state() == SPOC_BE_PROCESS_EXITING ? 0 : 1); });
              drivers_may_be_alive();
              std::exit(3);
              return 4;
          }) == 0);
}

TEST_CASE("Exit waits a moment for calls in flight, and not for ever") {
    CHECK(in_child([] {
              watch_forks();
              at_exit([] { ::_exit(process_state() == SPOC_BE_PROCESS_EXITING ? 0 : 1); });
              drivers_may_be_alive();
              static_cast<void>(std::make_unique<call_guard>().release());
              std::exit(3);
              return 4;
          }) == 0);
}

TEST_CASE("Exit waits for a start or shutdown in flight") {
    static std::atomic<bool> ended{false};
    CHECK(in_child([] {
              watch_forks();
              at_exit([] { ::_exit(ended ? 0 : 1); });
              drivers_may_be_alive();
              std::atomic<bool> begun{false};
              std::thread([&begun] {
                  const lifecycle_guard call;
                  begun = true;
                  while (process_state() == SPOC_BE_PROCESS_RUNNING) {
                      std::this_thread::yield();
                  }
                  // Long enough for an exit that does not wait to be over.
                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
                  ended = true;
              }).detach();
              while (!begun) {
                  std::this_thread::yield();
              }
              std::exit(3);
              return 4;
          }) == 0);
}

TEST_CASE("A forked child that exits tells no plugin") {
    CHECK(in_child([] {
              watch_forks();
              at_exit([] { ::_exit(quiesced); });
              drivers_may_be_alive();
              quiesce_at_exit(count_quiesce);
              return in_child([] {
                  std::exit(3);
                  return 4;
              });
          }) == 0);
}

}  // namespace spoc::detail
