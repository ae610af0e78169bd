// SPDX-License-Identifier: Apache-2.0
// The memory of a destroyed buffer does not come back.
// Case: buffer/destroyed_memory_comes_back
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t buffer_destroy(spoc_be_buffer /*buffer*/, spoc_be_error* /*error*/) { return SPOC_BE_OK; }

constexpr void change(spoc_be_table& be) { be.buffer_destroy = buffer_destroy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
