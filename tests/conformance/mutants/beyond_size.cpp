// SPDX-License-Identifier: Apache-2.0
// The record of a failure is written whole, however long its caller says it is.
// Case: negotiation/short_record
#include <utility>

#include "common/status.hpp"
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error) {
    const int32_t status = original.stream_create(device, desc, out, nullptr);
    if (status < 0 && error != nullptr) {
        const uint32_t size = std::exchange(error->size, sizeof *error);
        plugin::fail(error, {.status = status}, "The stream cannot be made.");
        error->size = size;
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.stream_create = stream_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
