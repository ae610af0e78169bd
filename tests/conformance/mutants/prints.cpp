// SPDX-License-Identifier: Apache-2.0
// The plugin writes to the standard output.
// Case: event/never_recorded
#include <cstdio>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    static_cast<void>(std::printf("an event\n"));
    return original.event_create(device, flags, out, error);
}

constexpr void change(spoc_be_table& be) { be.event_create = event_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
