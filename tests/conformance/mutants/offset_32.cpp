// SPDX-License-Identifier: Apache-2.0
// The offset of an argument is cut to 32 bits.
// Case: buffer/large_buffer
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    return launch_changed(stream, *request, done, error,
                          [](spoc_be_arg& arg) { arg.offset = static_cast<uint32_t>(arg.offset); });
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
