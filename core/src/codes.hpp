// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backends.h>
#include <spoc/error.h>

namespace spoc::detail {

/// State (`SPOC_STATE_*`) that a reason belongs to.
std::uint32_t state_of_reason(std::uint32_t reason) noexcept;

/// Sub-code of `SPOC_UNAVAILABLE` for a reason.
std::uint32_t sub_code_of_reason(std::uint32_t reason) noexcept;

/// Whether a plugin's own probe may answer with this reason.
bool is_probe_reason(std::uint32_t reason) noexcept;

}  // namespace spoc::detail
