// SPDX-License-Identifier: Apache-2.0
// The message of a failure has no end.
// Case: stream/unknown_flag
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error) {
    const int32_t status = original.stream_create(device, desc, out, error);
    if (status < 0 && error != nullptr) {
        std::memset(error->message, '.', sizeof error->message);
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.stream_create = stream_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
