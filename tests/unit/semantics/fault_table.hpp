// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rows of the table of faults: a call that reaches a plugin, each of whose calls there is made
/// to fail in turn. A row's name begins with the function that it is about, without "spoc_";
/// tests/integration/refusals_test.py looks that no function is missing.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fault_world.hpp"

namespace spoc::test {

/// What may be different after a call that failed.
enum class leaves {
    nothing,
    memory_less,  ///< what ends an object ends it also when it fails [R-218][R-505]
    bytes,        ///< its destination is undefined
    slots,   ///< the library keeps staging memory or its ring, and has another way when that fails
    binary,  ///< what was compiled may be kept, and no binary of it in a file
    source,  ///< the same, and where a binary fails there is the source
    part,    ///< it does several things one after the other, and what was done stays done
    told_nobody  ///< it ends an object and has nobody to tell
};

struct row {
    std::string name;
    std::function<void(world&)> call;
    leaves left = leaves::nothing;
    std::uint64_t pageable_max = SPOC_BE_NO_LIMIT;
    bool settles = false;  ///< it waits for the work that uses `pending`
};
using rows = std::vector<row>;

rows about_streams();
rows about_memory();
rows about_copies();
rows about_vectors();
rows about_host_copies();
rows about_relatives();
rows about_shared_memory();
rows about_programs();
rows about_launches();

}  // namespace spoc::test
