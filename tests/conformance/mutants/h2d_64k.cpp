// SPDX-License-Identifier: Apache-2.0
// A copy of 64 KiB to the device loses its last 4 bytes.
// Case: copy/to_device_powers_ordinary
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    if (request->kind != SPOC_BE_COPY_H2D) {
        return original.copy(stream, request, done, error);
    }
    return copy_changed(stream, *request, done, error,
                        [&](spoc_be_range& range) { range.bytes -= range.bytes == 65536 ? 4 : 0; });
}

constexpr void change(spoc_be_table& be) { be.copy = copy; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
