// SPDX-License-Identifier: Apache-2.0
#include "asynchronous/table.hpp"
#include "forward.hpp"

// A plugin that the library has never heard of, with two devices that work asynchronously.
SPOC_BE_PLUGIN("acme", "1.0") = spoc::forward<spoc::asynchronous::table>::table("acme", true);
