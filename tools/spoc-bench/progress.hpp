// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

namespace spoc::bench {

/// A line on standard error that says how far the load is: shown only on a terminal, and gone at
/// the end, also when a signal (SIGINT, SIGTERM) ends the program. At most one at a time; one
/// thread at a time.
class progress {
 public:
    /// `label` names what is loaded or where; `total` bytes are 100 %.
    progress(std::string label, std::uint64_t total);

    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    /// Says that `done` bytes are through. Writes only when the last line is old enough.
    void show(std::uint64_t done);

 private:
    using clock = std::chrono::steady_clock;

    std::string line(std::uint64_t done) const;

    const std::string label_;
    const std::uint64_t total_;
    const bool on_terminal_;
    clock::time_point next_ = clock::now();
    std::array<struct sigaction, 2> previous_{};
};

}  // namespace spoc::bench
