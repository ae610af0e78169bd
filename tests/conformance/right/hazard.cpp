// SPDX-License-Identifier: Apache-2.0
// Registering memory is said to harm the machine, and ends the process.
#include <cstdlib>

#include "limits.hpp"
#include "mutants/mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    return describe_changed(index, info, error, [](spoc_be_device_info& of) {
        of.caps[0] |= uint64_t{1} << SPOC_BE_CAP_REGISTER_HAZARD;
    });
}

/// Only a "no" has a reason, and this one is a yes.
int32_t cap_reason(uint32_t index, uint32_t cap, spoc_be_error* error) {
    return original.cap_reason(index, cap == SPOC_BE_CAP_REGISTER_HAZARD ? SPOC_BE_CAP_PINNED : cap,
                               error);
}

int32_t host_register(spoc_be_device /*device*/, const spoc_be_hostmem_desc* /*desc*/,
                      spoc_be_hostmem_result* /*result*/, spoc_be_error* /*error*/) {
    std::abort();
}

constexpr void change(spoc_be_table& be) {
    be.device_info = device_info;
    be.cap_reason = cap_reason;
    be.host_register = host_register;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
