// SPDX-License-Identifier: Apache-2.0
#include "base.hpp"

// What the native plugin begins its table with; here the table gets a name that several plugins can
// be built on. After backend.h, which entry.cpp then does not read again.
#undef SPOC_BE_PLUGIN
#define SPOC_BE_PLUGIN(name_text, version_text) const spoc_be_table spoc::base::table

// NOLINTNEXTLINE(bugprone-suspicious-include): the table is to be the plugin's own, not a copy.
#include "native/entry.cpp"
