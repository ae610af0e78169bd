// SPDX-License-Identifier: Apache-2.0
// A failure writes its record without asking whether there is one.
// Case: negotiation/failure_without_record
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t get_interface(const char* name, uint32_t min_size, const void** out, spoc_be_error* error) {
    const int32_t status = original.get_interface(name, min_size, out, error);
    if (status < 0) {
        error->status = status;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.get_interface = get_interface; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
