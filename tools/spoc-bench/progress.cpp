// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include <utility>

#include "common/output.hpp"
#include "common/text.hpp"

namespace spoc::bench {
namespace {

constexpr std::size_t columns = 60;
constexpr std::array<int, 2> ending_signals = {SIGINT, SIGTERM};
constexpr auto interval = std::chrono::milliseconds(100);

/// Spaces rather than an escape sequence: every terminal knows them.
constexpr auto erasure = [] {
    std::array<char, columns + 2> text{};
    text.fill(' ');
    text.front() = '\r';
    text.back() = '\r';
    return text;
}();

/// Progress is talk: that it cannot be written is no failure.
void write_terminal(const char* text, std::size_t length) noexcept {
    static_cast<void>(!::write(STDERR_FILENO, text, length));
}

/// Installed for one delivery: the signal, raised once more, ends the program as if there had been
/// no handler.
extern "C" void erase_and_end(int number) {
    write_terminal(erasure.data(), erasure.size());
    static_cast<void>(::raise(number));
}

void handle_once(int number, struct sigaction& previous) {
    struct sigaction action {};
    action.sa_handler = erase_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, nullptr, &previous);
    // A program started in the background ignores SIGINT, and shall go on doing so.
    if (previous.sa_handler != SIG_IGN) {
        ::sigaction(number, &action, nullptr);
    }
}

}  // namespace

progress::progress(std::string label, std::uint64_t total)
    : label_(std::move(label)), total_(total), on_terminal_(tools::is_terminal(STDERR_FILENO)) {
    for (std::size_t i = 0; on_terminal_ && i < ending_signals.size(); ++i) {
        handle_once(ending_signals[i], previous_[i]);
    }
}

progress::~progress() {
    if (!on_terminal_) {
        return;
    }
    write_terminal(erasure.data(), erasure.size());
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        ::sigaction(ending_signals[i], &previous_[i], nullptr);
    }
}

void progress::show(std::uint64_t done) {
    const auto now = clock::now();
    if (!on_terminal_ || now < next_) {
        return;
    }
    next_ = now + interval;
    const std::string text = '\r' + tools::pad(tools::cut(line(done), columns), columns);
    write_terminal(text.data(), text.size());
}

std::string progress::line(std::uint64_t done) const {
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    const std::string percent = std::to_string(static_cast<int>(100 * share)) + " %";
    return tools::pad(percent, 7) + tools::human_bytes(done) + " of " + tools::human_bytes(total_) +
           "  " + label_;
}

}  // namespace spoc::bench
