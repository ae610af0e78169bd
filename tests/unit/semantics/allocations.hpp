// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spoc::test {

/// How often this thread has asked `operator new` for memory, in whichever module.
std::uint64_t allocations() noexcept;

}  // namespace spoc::test
