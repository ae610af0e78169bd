// SPDX-License-Identifier: Apache-2.0
// Buffers, blocks and grids are small, and a folder of this machine is searched for libraries.
#include "limits.hpp"
#include "mutants/mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr uint64_t most = uint64_t{1} << 20;
constexpr uint32_t most_threads = 16;

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    return describe_changed(index, info, error, [](spoc_be_device_info& of) {
        of.max_alloc = most;
        of.max_block_threads = most_threads;
        of.max_block[0] = 32;
        of.max_block[1] = 16;
        of.max_block[2] = 4;
        of.max_grid[0] = 65535;
        of.max_grid[1] = 1;
        of.max_grid[2] = 1;
    });
}

int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error) {
    if (desc->bytes > most) {
        return refuse(error, SPOC_BE_TOO_LARGE, desc->bytes, most,
                      "The host asked for a buffer above the limit (1048576).");
    }
    return original.buffer_create(device, desc, result, error);
}

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    const uint32_t threads = request->block[0] * request->block[1] * request->block[2];
    const bool is_small = request->grid[0] <= 65535 && request->grid[1] <= 1 &&
                          request->grid[2] <= 1 && request->block[2] <= 4 &&
                          threads <= most_threads;
    if (!is_small) {
        *done = SPOC_BE_DONE_ALL;
        return refuse(error, SPOC_BE_TOO_LARGE, threads, most_threads,
                      "The host asked for a launch above the limits.");
    }
    return original.launch(stream, request, done, error);
}

int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error) {
    const int32_t status = original.kernel_info(kernel, info, error);
    if (status == SPOC_BE_OK) {
        info->max_block_threads = std::min(info->max_block_threads, most_threads);
    }
    return status;
}

constexpr void change(spoc_be_table& be) {
    be.device_info = device_info;
    be.kernel_info = kernel_info;
    be.buffer_create = buffer_create;
    be.launch = launch;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
