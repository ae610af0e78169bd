// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include <atomic>
#include <string_view>

#include "check.hpp"
#include "common/output.hpp"

namespace spoc::conformance {
namespace {

std::atomic<bool> is_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// Progress is talk: that it cannot be written is no failure.
void write_terminal(std::string_view text) noexcept {
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

void erase_progress() noexcept {
    if (is_shown) {
        write_terminal("\r\033[K");
        is_shown = false;
    }
}

void show_progress(std::size_t done, std::size_t all, const std::string& name) {
    // A terminal that is "dumb" takes no escape sequences, and cannot replace a line.
    if (!tools::is_terminal(STDERR_FILENO) || tools::is_dumb()) {
        return;
    }
    erase_progress();
    if (done < all) {
        is_shown = true;
        write_terminal(text(done, "/", all, " ", name));
    }
}

}  // namespace spoc::conformance
