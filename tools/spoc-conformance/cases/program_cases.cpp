// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace spoc::conformance {

void add_program_cases(case_list& cases) { static_cast<void>(cases); }

}  // namespace spoc::conformance
