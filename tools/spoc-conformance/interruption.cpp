// SPDX-License-Identifier: Apache-2.0
#include "interruption.hpp"

#include <atomic>

#include "progress.hpp"

namespace spoc::conformance {
namespace {

/// What the handler has to end; 0: nothing.
std::atomic<pid_t> group_to_end{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

/// Installed for one delivery: the signal, raised once more, ends the program as if there had been
/// no handler.
extern "C" void end_group_and_program(int number) {
    const pid_t group = group_to_end;
    if (group > 0) {
        static_cast<void>(kill(-group, SIGKILL));
    }
    erase_progress();
    static_cast<void>(raise(number));
}

}  // namespace

signals_held::signals_held() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int number : interruption::ending_signals) {
        sigaddset(&ending, number);
    }
    sigprocmask(SIG_BLOCK, &ending, &before_);
}

signals_held::~signals_held() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

interruption::interruption(pid_t group) {
    group_to_end = group;
    struct sigaction action {};
    action.sa_handler = end_group_and_program;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        sigaction(ending_signals[i], nullptr, &before_[i]);
        // A program started in the background ignores SIGINT, and shall go on doing so.
        if (before_[i].sa_handler != SIG_IGN) {
            sigaction(ending_signals[i], &action, nullptr);
        }
    }
}

interruption::~interruption() {
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        sigaction(ending_signals[i], &before_[i], nullptr);
    }
    group_to_end = 0;
}

}  // namespace spoc::conformance
