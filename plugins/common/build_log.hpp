// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <spoc/backend.h>

#include "common/status.hpp"

namespace spoc::plugin {

/// Writes a program's build log where its request wants it, cut to the room there, and its whole
/// length.
inline void write_build_log(const spoc_be_program_desc& desc, std::string_view text) noexcept {
    if (desc.log != nullptr) {
        copy_text(desc.log, desc.log_capacity, text);
    }
    if (desc.log_length != nullptr) {
        *desc.log_length = text.size();
    }
}

}  // namespace spoc::plugin
