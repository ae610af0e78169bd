// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spoc::cudalike {

/// Whether any page of the range is a private mapping of a file. False too where the system does
/// not tell.
bool is_private_file_mapping(const void* start, std::uint64_t bytes) noexcept;

}  // namespace spoc::cudalike
