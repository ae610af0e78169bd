// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <spoc/device.hpp>

#include "measurement.hpp"
#include "raw_backend.hpp"

namespace spoc::bench {

/// What a benchmark runs on.
struct bench_place {
    const device& where;
    const raw_backend& raw;
};

/// A benchmark. A new one is a function and a row in `bench_cases`.
struct bench_case {
    const char* name;
    const char* summary;
    /// Its contests; none when the device lacks what it is about.
    std::vector<contest> (*contests)(const bench_place& place);
};

/// All there are.
std::span<const bench_case> bench_cases();

/// Those whose names fit one of the patterns (`*`, `?`, `[...]`), each once. Throws
/// `std::invalid_argument` with a sentence when one fits none.
std::vector<const bench_case*> find_cases(const std::vector<std::string>& patterns);

/* Entries of the table called directly against the functions of libspoc that lead to them. */
std::vector<contest> call_contests(const bench_place& place);
std::vector<contest> copy_contests(const bench_place& place);
std::vector<contest> event_contests(const bench_place& place);
std::vector<contest> launch_contests(const bench_place& place);
/// A copy whose page-locked source is one of `ranges` others. The device has page-locked memory.
std::vector<contest> crowded_copy_contests(const bench_place& place, std::size_t ranges);
/* Functions of libspoc against the CUDA driver called directly; none on other devices. */
std::vector<contest> cuda_copy_contests(const bench_place& place);
std::vector<contest> cuda_launch_contests(const bench_place& place);
std::vector<contest> cuda_peer_contests(const bench_place& place);
std::vector<contest> cuda_rate_contests(const bench_place& place);
/* Tables of libspoc's against plain containers that do the same. */
std::vector<contest> ledger_contests(const bench_place& place);
std::vector<contest> pinned_contests(const bench_place& place);

}  // namespace spoc::bench
