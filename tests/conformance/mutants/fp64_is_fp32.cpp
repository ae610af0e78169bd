// SPDX-License-Identifier: Apache-2.0
// What kernels compute in 64-bit floating point has the precision of 32 bits.
// Case: honesty/fp64
#include <vector>

#include "mutant.hpp"
#include "named_kernels.hpp"

namespace spoc::mutant {
namespace {

named_kernels computing("scale_fp64");

int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error) {
    const int32_t status = original.kernel_get(program, desc, out, error);
    if (status == SPOC_BE_OK) {
        computing.note(desc->name, *out);
    }
    return status;
}

/// Copies between `numbers` and the start of the buffer.
int32_t move(spoc_be_stream stream, uint32_t kind, spoc_be_buffer buffer,
             std::vector<double>& numbers) {
    spoc_be_range range{};
    range.src = buffer;
    range.dst = buffer;
    range.host = numbers.data();
    range.bytes = numbers.size() * sizeof(double);
    spoc_be_copy copy{};
    copy.size = sizeof copy;
    copy.kind = kind;
    copy.flags = SPOC_BE_WAIT;
    copy.count = 1;
    copy.ranges = &range;
    uint32_t done = 0;
    return original.copy(stream, &copy, &done, nullptr);
}

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    int32_t status = original.launch(stream, request, done, error);
    if (status != SPOC_BE_OK || !computing.contain(request->kernel)) {
        return status;
    }
    const spoc_be_buffer out = request->args[1].buffer;
    std::vector<double> numbers(std::size_t{request->grid[0]} * request->block[0]);
    status = move(stream, SPOC_BE_COPY_D2H, out, numbers);
    for (double& number : numbers) {
        number = static_cast<double>(static_cast<float>(number));
    }
    return status == SPOC_BE_OK ? move(stream, SPOC_BE_COPY_H2D, out, numbers) : status;
}

constexpr void change(spoc_be_table& be) {
    be.kernel_get = kernel_get;
    be.launch = launch;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
