// SPDX-License-Identifier: Apache-2.0
// A call that succeeds writes into the record of failures.
// Case: negotiation/success_leaves_record
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_count(uint32_t* count, spoc_be_error* error) {
    if (error != nullptr) {
        error->status = SPOC_BE_OK;
        error->message[0] = '\0';
    }
    return original.device_count(count, error);
}

constexpr void change(spoc_be_table& be) { be.device_count = device_count; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
