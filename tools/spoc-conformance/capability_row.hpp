// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <spoc/backend.h>

#include "device.hpp"
#include "test_case.hpp"

namespace spoc::conformance {

/// How honesty about one capability is judged. A yes has its entry and is tried in small; a no has
/// a reason, and the call that would need it is refused; an unknown is neither.
struct capability_row {
    std::uint32_t number;
    const char* entry;   ///< that a yes needs, or null
    std::size_t offset;  ///< of that entry
    void (*try_yes)(device&);
    const char* untried;  ///< why a yes is not tried, where it is not
    void (*try_no)(device&);
};

// An entry of the table is two members of a row.
#define NEEDS(entry) #entry, offsetof(spoc_be_table, entry)
#define NEEDS_NONE nullptr, 0

/// The row as a case. It must stay alive.
test_case honesty_case(const capability_row& row);

/// Only a "no" has a reason. For a capability that is answered otherwise.
void expect_no_reason(const device& dev, std::uint32_t capability, const char* answer = "unknown");

}  // namespace spoc::conformance
