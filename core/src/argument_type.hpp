// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/launch.h>

#include "outcome.hpp"

namespace spoc::detail {

/// Fails with LENGTH when a scalar has no bytes, or not those of its element.
outcome check_scalar(const spoc_argument& given);

/// Whether an argument that shows `shown` bytes is what a parameter takes. What is not known of the
/// parameter is not compared.
outcome check_fits(const spoc_argument& given, std::uint64_t shown,
                   const spoc_parameter& parameter);

/// The same for the number of a vector's elements, which follows the vector.
outcome check_length_fits(const spoc_argument& vector, const spoc_parameter& parameter);

}  // namespace spoc::detail
