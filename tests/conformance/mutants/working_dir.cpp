// SPDX-License-Identifier: Apache-2.0
// Loading a program leaves the process in another folder.
// Case: thread/state_kept_with_programs
#include <unistd.h>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc, spoc_be_program* out,
                     spoc_be_error* error) {
    const int32_t status = original.program_load(device, desc, out, error);
    return chdir("/proc") == 0 ? status : SPOC_BE_INTERNAL;
}

constexpr void change(spoc_be_table& be) { be.program_load = program_load; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
