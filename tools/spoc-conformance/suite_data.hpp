// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spoc::conformance {

/// Absolute path of a file that belongs to this suite ("empty_driver.so"): beside the program in a
/// build folder, else in the installed data folder, found from where the program lies, so that an
/// installation can be moved. Throws `failure` when it is in neither place.
std::string suite_file(const std::string& name);

}  // namespace spoc::conformance
