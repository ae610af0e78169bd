// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "measurement.hpp"

namespace spoc::bench {

/// A row of the output.
struct run_row {
    std::string bench;   ///< "disp.copy"
    std::string device;  ///< selector
    contest subject;
    contest_figures figures;
    std::string judged;  ///< `verdict`
};

/// What a run came to.
struct run_report {
    std::vector<run_row> rows;
    std::vector<std::string> skipped;  ///< sentences: what was not measured, and why
    std::string error;                 ///< why it ended early, else empty
};

/// The heading of the lines for people.
std::string run_heading();

/// A line for people.
std::string describe_row(const run_row& row);

/// One JSON document, schema "spoc-bench-run/1": times in nanoseconds per call, null for what there
/// is not. With it, what machine it was and how busy.
std::string json_document(const run_report& report);

}  // namespace spoc::bench
