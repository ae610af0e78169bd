// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gate.h"

namespace spoc::mock {

/// A fault with text of its own.
struct fault {
    spoc_mock_fault told{};
    std::string message;
};

/// The calls that are to fail. Used under the state's mutex.
class faults {
 public:
    void add(const spoc_mock_fault& told) {
        fault& one = faults_.emplace_back();
        one.told = told;
        one.told.message = nullptr;
        one.message = told.message != nullptr ? told.message : "The mock fails as it was told.";
        if (told.times == 0) {
            one.told.times = 1;
        }
        if (told.native_code == 0) {
            one.told.native_code = 999;
        }
    }

    /// The fault that hits the call which begins now. Each fault counts the calls of its entry for
    /// itself, so that two faults with different `skip` hit the calls that they name.
    std::optional<fault> take(std::uint32_t entry) {
        std::optional<fault> hit;
        for (fault& one : faults_) {
            if (one.told.entry != entry || one.told.times == 0) {
                continue;
            }
            if (one.told.skip > 0) {
                --one.told.skip;
            } else if (!hit) {
                one.told.times -= one.told.times == SPOC_MOCK_ALWAYS ? 0 : 1;
                hit = one;
            }
        }
        return hit;
    }

    void forget() { faults_.clear(); }

 private:
    std::vector<fault> faults_;
};

}  // namespace spoc::mock
