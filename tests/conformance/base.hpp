// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spoc/backend.h>

namespace spoc::base {

/// The table of the native plugin, compiled in under this name: no symbol of its own, no note.
extern const spoc_be_table table;

}  // namespace spoc::base
