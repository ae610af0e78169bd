// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <spoc/backend.h>

namespace spoc::detail {

/// Why something about a plugin stands in the way, or that nothing does.
struct [[nodiscard]] finding {
    std::uint32_t reason = SPOC_BE_REASON_NONE;
    std::string message;  ///< one sentence; empty when nothing stands in the way
    std::int64_t native_code = 0;
    std::string native_domain{};  ///< whose number that is; empty when there is none

    bool fine() const noexcept { return reason == SPOC_BE_REASON_NONE; }
};

}  // namespace spoc::detail
