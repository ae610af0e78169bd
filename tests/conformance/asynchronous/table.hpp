// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spoc/backend.h>

namespace spoc::asynchronous {

/// The layer's entries, for plugins that are built on it.
extern const spoc_be_table table;

}  // namespace spoc::asynchronous
