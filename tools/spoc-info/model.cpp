// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <algorithm>

namespace spoc::info {
namespace {

int severity(const problem& p) {
    switch (p.exit_status) {
        case 2:
            return 3;
        case 3:
            return 2;
        default:
            return 1;
    }
}

}  // namespace

bool self_test_result::passed() const {
    return trouble.empty() &&
           std::none_of(steps.begin(), steps.end(), [](const spoc_self_test_step& step) {
               return step.outcome == SPOC_STEP_FAILED;
           });
}

const problem* model::worst() const {
    const auto found = std::max_element(
        problems.begin(), problems.end(),
        [](const problem& a, const problem& b) { return severity(a) < severity(b); });
    return found == problems.end() ? nullptr : &*found;
}

bool model::is_wrong_use() const {
    const problem* p = worst();
    return p != nullptr && p->exit_status == 2;
}

}  // namespace spoc::info
