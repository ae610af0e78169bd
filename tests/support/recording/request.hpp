// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <spoc/backend.h>
#include <spoc/native.h>

#include "call.hpp"
#include "gate.h"

namespace spoc::mock {

/// Refuses a must-understand extension; false: the call failed. The plugin knows none.
inline bool takes_extensions(call& now, const spoc_be_ext* ext) {
    for (; ext != nullptr; ext = ext->next) {
        if ((ext->type & SPOC_BE_EXT_REQUIRED) != 0) {
            now.fail(
                {.status = SPOC_BE_EXTENSION},
                "The request carries a must-understand extension that the mock does not know.");
            return false;
        }
    }
    return true;
}

/// The same for extensions and flags beyond `known`.
inline bool takes(call& now, std::uint64_t flags, std::uint64_t known, const spoc_be_ext* ext) {
    if ((flags & ~known) != 0) {
        now.refuse("The request sets a flag that the mock does not know.");
        return false;
    }
    return takes_extensions(now, ext);
}

/// Refuses where the device does not say "yes" to a capability; false: the call failed.
inline bool has(call& now, std::uint32_t capability) {
    if (!now.offers(capability)) {
        now.refuse("The mock's device lacks capability " + std::to_string(capability) + ".");
        return false;
    }
    return true;
}

const spoc_mock_gate& the_gate();

}  // namespace spoc::mock
