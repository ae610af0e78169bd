// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/error.hpp>

namespace spoc::test {

/// What `body` is refused with: the sub-code of its error, or `SPOC_SUB_NONE` where it succeeds.
template <typename Body>
std::uint32_t refusal_of(Body body) {
    try {
        body();
    } catch (const spoc::error& error) {
        return error.sub_code();
    }
    return SPOC_SUB_NONE;
}

}  // namespace spoc::test
