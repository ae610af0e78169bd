// SPDX-License-Identifier: Apache-2.0
// Launches run on the default stream, whichever they are given to.
// Case: launch/on_its_own_stream
#include <atomic>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::atomic<spoc_be_stream> default_stream;

int32_t device_open(uint32_t index, const spoc_be_device_desc* desc, spoc_be_device_result* result,
                    spoc_be_error* error) {
    const int32_t status = original.device_open(index, desc, result, error);
    if (status == SPOC_BE_OK) {
        default_stream = result->default_stream;
    }
    return status;
}

int32_t launch(spoc_be_stream /*stream*/, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    return original.launch(default_stream, request, done, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_open = device_open;
    be.launch = launch;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
