// SPDX-License-Identifier: Apache-2.0
// Buffer arguments begin at the start of their buffer.
// Case: launch/offsets
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    return launch_changed(stream, *request, done, error, [](spoc_be_arg& arg) {
        arg.offset = arg.kind == SPOC_BE_PARAM_BUFFER ? 0 : arg.offset;
    });
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
