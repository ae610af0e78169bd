// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include <spoc/vector.h>

namespace spoc::detail {

/// A vector, its views and theirs: those that share its host storage. Of a family of which one is
/// used, others may be used at once if they share no element with it; the mutex keeps apart what
/// they have in common. It is not held in a wait.
struct vector_family {
    std::mutex mutex;
    std::vector<spoc_vector_s*> members;
};

}  // namespace spoc::detail
