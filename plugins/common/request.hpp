// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cinttypes>
#include <cstdint>

#include <spoc/backend.h>

#include "common/status.hpp"

namespace spoc::plugin {

/// What a plugin answers to a newer host, for an entry that knows `known_flags` and no extension:
/// refuses flags it does not know, skips optional extensions and refuses must-understand ones.
inline int32_t check_request(uint64_t flags, uint64_t known_flags, const spoc_be_ext* extensions,
                             spoc_be_error* error) noexcept {
    if ((flags & ~known_flags) != 0) {
        return fail(error, {.status = SPOC_BE_UNSUPPORTED},
                    "The request sets a flag that this entry does not know (0x%" PRIx64 ").",
                    flags & ~known_flags);
    }
    for (; extensions != nullptr; extensions = extensions->next) {
        if ((extensions->type & SPOC_BE_EXT_REQUIRED) != 0) {
            return fail(error, {.status = SPOC_BE_EXTENSION},
                        "The request carries a must-understand extension that this entry does not "
                        "know (type 0x%08x).",
                        extensions->type);
        }
    }
    return SPOC_BE_OK;
}

}  // namespace spoc::plugin
