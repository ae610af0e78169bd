// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "result.hpp"
#include "test_case.hpp"

namespace spoc::conformance {

/// What became of a case once the expectations were looked at.
enum class verdict {
    passed,
    failed,
    skipped,
    unsupported,       ///< did not pass, and is listed as what the device can never do
    expected_failure,  ///< failed, and is listed as a known fault
    unexpected_pass,   ///< passed although it is listed: the list is to be shortened
};

/// "passed", "expected_failure": as in the report.
const char* verdict_name(verdict of);

/// Whether the run fails because of it.
bool is_bad(verdict of);

/// A file of expectations that cannot be used; the text says why, with the file's name.
class bad_expectations : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// An entry of a file of expectations that a run made no use of.
struct unused_expectation {
    std::string pattern;
    std::string device;  ///< empty: every device
    std::string reason;
    std::string why;  ///< it was of no use: "the device is ...", without an end
};

/// The cases that are known not to pass, and why. A JSON document (comments are allowed):
///
///     {"schema": "spoc-conformance-expect/1",
///      "unsupported": [{"case": "peer/*", "reason": "The bus has no peer transfers."}],
///      "failing": [{"case": "fill/large", "device": "Acme 3*", "reason": "Issue 17, fixed
///      in 2.1."}]}
///
/// `unsupported` stays: the cases fail or are skipped for ever. `failing` is to shrink: the cases
/// fail today. `device`, when it is there, is a pattern for the device's name, and the entry counts
/// on that device only. Every entry needs a reason of at least one word, and has to match a case
/// that exists. No entry may stand there twice, and no case in both lists for one device.
class expectations {
 public:
    /// None.
    expectations() = default;
    /// Those of the file. Throws `bad_expectations`.
    expectations(const std::string& path, const case_list& cases, const std::string& device_name);

    verdict judge(const result& found) const;
    /// The reason written down for a case, or empty.
    std::string reason_of(const std::string& name) const;
    /// Entries about cases of the run from which nothing was learnt: they may be out of date.
    std::vector<unused_expectation> unused(const std::vector<result>& results) const;

 private:
    struct entry {
        std::string pattern;
        std::string device;  ///< a pattern; empty: every device
        std::string reason;
        bool permanent = false;
        bool counts = false;  ///< on the device that is used
    };

    void add(const entry& read, const std::string& path, const case_list& cases);
    void check_contradictions(const std::string& path, const case_list& cases) const;
    const entry* find(const std::string& name) const;

    std::vector<entry> entries_;
    std::string device_name_;
};

}  // namespace spoc::conformance
