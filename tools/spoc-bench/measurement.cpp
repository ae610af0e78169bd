// SPDX-License-Identifier: Apache-2.0
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace spoc::bench {
namespace {

using clock = std::chrono::steady_clock;
using nanoseconds = std::chrono::duration<double, std::nano>;

constexpr std::uint64_t counted_rounds = 31;
/// Long against the clock's own cost, short against what else disturbs a machine.
constexpr nanoseconds wanted_time{200'000};
/// How far the control may be from 1.
constexpr double most_control_error = 0.02;

nanoseconds time_of(const contender& one, std::uint64_t calls) {
    if (one.before) {
        one.before(calls);
    }
    const auto start = clock::now();
    one.run(calls);
    const nanoseconds taken = clock::now() - start;
    if (one.after) {
        one.after(calls);
    }
    return taken;
}

/// After a few calls that are not counted: what the other contender left in the caches is not this
/// one's fault.
double nanoseconds_per_call(const contender& one, std::uint64_t calls) {
    time_of(one, calls / 8 + 1);
    return time_of(one, calls).count() / static_cast<double>(calls);
}

/// As many calls as the raw way needs for `wanted_time`.
std::uint64_t enough_calls(const contest& subject) {
    std::uint64_t calls = std::min<std::uint64_t>(16, subject.most_calls);
    const double each = std::max(nanoseconds_per_call(subject.raw, calls), 0.1);
    const auto enough = static_cast<std::uint64_t>(wanted_time.count() / each);
    return std::clamp(enough, subject.least_calls, subject.most_calls);
}

struct samples {
    std::vector<double> raw;
    std::vector<double> spoc;
    std::vector<double> over;
    std::vector<double> ratio;
    std::vector<double> control;

    void add(double first_raw, double own, double second_raw) {
        const double both = (first_raw + second_raw) / 2;
        raw.push_back(both);
        spoc.push_back(own);
        over.push_back(own - both);
        ratio.push_back(own / both);
        control.push_back(second_raw / first_raw);
    }
};

}  // namespace

spread spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    const double median =
        values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {median, values.front(), values.back()};
}

contest_figures measure(const contest& subject) {
    const std::uint64_t calls = enough_calls(subject);
    samples all;
    for (std::uint64_t round = 0; round <= counted_rounds; ++round) {
        const double first_raw = nanoseconds_per_call(subject.raw, calls);
        const double own = nanoseconds_per_call(subject.spoc, calls);
        const double second_raw = nanoseconds_per_call(subject.raw, calls);
        if (round > 0) {
            all.add(first_raw, own, second_raw);
        }
    }
    return {calls,
            counted_rounds,
            spread_of(std::move(all.raw)),
            spread_of(std::move(all.spoc)),
            spread_of(std::move(all.over)),
            spread_of(std::move(all.ratio)),
            spread_of(std::move(all.control))};
}

std::string verdict(const contest& subject, const contest_figures& figures) {
    if (std::abs(figures.control.median - 1) > most_control_error) {
        return "noise";
    }
    if (!subject.target_ns && !subject.target_ratio) {
        return "measured";
    }
    const bool met = (!subject.target_ns || figures.over.median <= *subject.target_ns) &&
                     (!subject.target_ratio || figures.ratio.median <= *subject.target_ratio);
    return met ? "met" : "missed";
}

}  // namespace spoc::bench
