// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "census.hpp"
#include "expectations.hpp"
#include "result.hpp"

namespace spoc::conformance {

/// A case in the report.
struct judged_case {
    result found;
    verdict judged = verdict::failed;
    std::string expectation;  ///< reason from the file of expectations, or empty
};

/// A whole run.
struct report {
    std::string file;
    std::uint32_t device = 0;
    census subject;
    std::vector<judged_case> cases;
    std::vector<unused_expectation> unused;
    std::uint64_t elapsed_ms = 0;

    std::size_t count(verdict of) const;
    std::vector<result> results() const;
    /// 1 when a case is bad, 77 when there was no device, else 0.
    int status() const;
};

/// One document after docs/schema/spoc-conformance-1.schema.json.
std::string as_json(const report& run);

/// For people: the plugin, every case that is not plainly passed (`verbose`: every case), the
/// skipped ones grouped by reason, and the sum as the last line.
std::string as_text(const report& run, bool verbose);

}  // namespace spoc::conformance
