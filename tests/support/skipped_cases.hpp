// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "catch.hpp"

namespace spoc::test {

/// Cases that a device could not run, said again when the program ends: in a long output each alone
/// is easily missed.
class skipped_cases {
 public:
    skipped_cases() = default;
    skipped_cases(const skipped_cases&) = delete;
    skipped_cases& operator=(const skipped_cases&) = delete;
    ~skipped_cases() {
        if (!lines_.empty()) {
            std::cout << "\n" << lines_.size() << " skips:\n";
        }
        for (const std::string& line : lines_) {
            std::cout << "SKIP: " << line << "\n";
        }
    }
    void add(const std::string& reason) {
        lines_.push_back(Catch::getResultCapture().getCurrentTestName() + ": " + reason);
        std::cout << "SKIP: " << lines_.back() << "\n";
    }

 private:
    std::vector<std::string> lines_;
};

inline skipped_cases& skips() {
    static skipped_cases all;
    return all;
}

}  // namespace spoc::test
