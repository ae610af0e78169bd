// SPDX-License-Identifier: Apache-2.0
// Waiting for the users of a buffer returns at once.
// Case: launch/wait_for_writer
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t buffer_wait(spoc_be_buffer /*buffer*/, uint32_t /*access*/, uint64_t /*timeout_ns*/,
                    spoc_be_error* /*error*/) {
    return SPOC_BE_OK;
}

constexpr void change(spoc_be_table& be) { be.buffer_wait = buffer_wait; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
