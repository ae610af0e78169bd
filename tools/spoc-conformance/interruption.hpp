// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>

namespace spoc::conformance {

/// While it lives, a signal that asks this program to end (from the terminal, or SIGTERM) does not
/// reach the program: a process is made in between that nothing is left of.
class signals_held {
 public:
    signals_held();
    signals_held(const signals_held&) = delete;
    signals_held& operator=(const signals_held&) = delete;
    ~signals_held();

 private:
    sigset_t before_{};
};

/// While it lives, such a signal ends the processes of the group `group` first, and then this
/// program as if it had never been caught. Signals that are ignored stay ignored. One at a time.
class interruption {
 public:
    explicit interruption(pid_t group);
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;
    ~interruption();

 private:
    static constexpr std::array<int, 4> ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    friend class signals_held;

    std::array<struct sigaction, ending_signals.size()> before_{};
};

}  // namespace spoc::conformance
