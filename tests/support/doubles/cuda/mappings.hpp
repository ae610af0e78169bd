// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cuda_double {

/// Whether every page of the range is mapped and may be read, and also written if `writes`.
bool may_touch(const void* start, std::size_t bytes, bool writes);

}  // namespace cuda_double
