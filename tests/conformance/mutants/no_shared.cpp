// SPDX-License-Identifier: Apache-2.0
// A block has none of the shared memory that was asked for.
// Case: launch/dynamic_shared
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    spoc_be_launch changed = *request;
    changed.shared_bytes = 0;
    return original.launch(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
