// SPDX-License-Identifier: Apache-2.0
// A stream is made with flags that nobody knows.
// Case: stream/unknown_flag
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error) {
    spoc_be_stream_desc changed = *desc;
    changed.flags &= SPOC_BE_STREAM_NON_BLOCKING | SPOC_BE_STREAM_TIMING;
    return original.stream_create(device, &changed, out, error);
}

constexpr void change(spoc_be_table& be) { be.stream_create = stream_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
