// SPDX-License-Identifier: Apache-2.0
// A build log that does not fit has no end.
// Case: program/short_log_native_symbol_file
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc, spoc_be_program* out,
                     spoc_be_error* error) {
    uint64_t length = 0;
    spoc_be_program_desc changed = *desc;
    changed.log_length = desc->log_length == nullptr ? &length : desc->log_length;
    const int32_t status = original.program_load(device, &changed, out, error);
    if (desc->log != nullptr && desc->log_capacity > 0 &&
        *changed.log_length >= desc->log_capacity) {
        desc->log[desc->log_capacity - 1] = '.';
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.program_load = program_load; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
