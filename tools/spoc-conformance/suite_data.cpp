// SPDX-License-Identifier: Apache-2.0
#include "suite_data.hpp"

#include <filesystem>
#include <system_error>

#include "check.hpp"

namespace spoc::conformance {
namespace {

namespace fs = std::filesystem;

/// Where this program lies, links resolved.
fs::path program_folder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    require(!error, "The suite could not find out where its program lies: ", error.message(), ".");
    return program.parent_path();
}

}  // namespace

std::string suite_file(const std::string& name) {
    const fs::path folder = program_folder();
    const fs::path built = folder / name;
    // A path from the program's folder, or an absolute one.
    const fs::path installed = (folder / SPOC_CONFORMANCE_DATA_DIR / name).lexically_normal();
    for (const fs::path& candidate : {built, installed}) {
        std::error_code ignored;
        if (fs::is_regular_file(candidate, ignored)) {
            return candidate.string();
        }
    }
    fail("The suite's own file ", name, " is missing; it is neither ", built.string(), " nor ",
         installed.string(), ".");
}

}  // namespace spoc::conformance
