// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spoc::bench {

/// One of two ways to do the same thing. Each function is given the number of calls to make.
struct contender {
    std::function<void(std::uint64_t calls)> run;     ///< timed
    std::function<void(std::uint64_t calls)> before;  ///< not timed; may be empty
    std::function<void(std::uint64_t calls)> after;   ///< not timed; may be empty
};

/// SPOC against what it stands on.
struct contest {
    std::string what;      ///< in few words
    std::string baseline;  ///< likewise, of `raw`
    contender raw;
    contender spoc;
    std::optional<double> target_ns;       ///< most that SPOC may take above `raw`, per call
    std::uint64_t most_calls = 512;        ///< in a row: queues of drivers are finite
    std::uint64_t least_calls = 1;         ///< in a row
    std::optional<double> target_ratio{};  ///< most that SPOC's time may be by the raw one
};

/// Median, smallest and largest of the rounds.
struct spread {
    double median = 0;
    double least = 0;
    double most = 0;
};

/// What a contest came to. Times are nanoseconds per call.
struct contest_figures {
    std::uint64_t calls = 0;  ///< in a round, of each contender
    std::uint64_t rounds = 0;
    spread raw;
    spread spoc;
    spread over;     ///< SPOC's time less the raw one, round by round
    spread ratio;    ///< SPOC's time by the raw one
    spread control;  ///< the second raw run of a round by its first
};

/// Of values, at least one.
spread spread_of(std::vector<double> values);

/// Runs raw, SPOC and raw again, round by round, so that what else the machine does falls on all of
/// them alike; the two raw runs are the control. A first round is not counted.
contest_figures measure(const contest& subject);

/// "noise" when the control says that differences mean nothing, else "met" or "missed", or
/// "measured" where there is no target, neither of time nor of ratio.
std::string verdict(const contest& subject, const contest_figures& figures);

}  // namespace spoc::bench
