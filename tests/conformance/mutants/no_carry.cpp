// SPDX-License-Identifier: Apache-2.0
// Atomic additions of 64 bits carry nothing into the upper half.
// Case: honesty/atomics64
#include "mutant.hpp"
#include "named_kernels.hpp"

namespace spoc::mutant {
namespace {

named_kernels counting("tickets64");

int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error) {
    const int32_t status = original.kernel_get(program, desc, out, error);
    if (status == SPOC_BE_OK) {
        counting.note(desc->name, *out);
    }
    return status;
}

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    const int32_t status = original.launch(stream, request, done, error);
    if (status != SPOC_BE_OK || !counting.contain(request->kernel)) {
        return status;
    }
    spoc_be_fill upper_half{};
    upper_half.size = sizeof upper_half;
    upper_half.buffer = request->args[0].buffer;
    upper_half.offset = 4;
    upper_half.bytes = 4;
    upper_half.pattern_size = 4;
    return original.fill(stream, &upper_half, done, error);
}

constexpr void change(spoc_be_table& be) {
    be.kernel_get = kernel_get;
    be.launch = launch;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
