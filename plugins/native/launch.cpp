// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <cinttypes>

#include <spoc/native.h>

#include "backend.hpp"
#include "common/request.hpp"
#include "device.hpp"
#include "kernel.hpp"
#include "launch_frame.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace spoc::native {
namespace {

void visit_buffers(const spoc_be_launch& launch, void (*visit)(spoc_be_buffer)) {
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
        if (launch.args[i].kind == SPOC_BE_PARAM_BUFFER) {
            visit(launch.args[i].buffer);
        }
    }
}

uint64_t block_count(const spoc_be_launch& launch) {
    return uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

/// Moves to the next block, x first.
void advance(spoc_native_block& block) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (++block.index[axis] < block.grid[axis]) {
            return;
        }
        block.index[axis] = 0;
    }
}

/// The blocks of a launch as pieces of work, x first.
class block_task final : public task {
 public:
    block_task(spoc_native_function function, const spoc_be_launch& launch,
               const launch_frame& frame, uint32_t lanes) noexcept
        : task(block_count(launch), lanes), function_(function), launch_(launch), frame_(frame) {}

 private:
    void run(uint32_t lane, uint64_t begin, uint64_t end) override {
        spoc_native_block block = at(lane, begin);
        void* const* arguments = frame_.arguments(lane);
        for (uint64_t i = begin; i < end; ++i) {
            function_(&block, arguments);
            advance(block);
        }
    }

    spoc_native_block at(uint32_t lane, uint64_t number) const {
        const auto& grid = launch_.grid;
        const auto& block = launch_.block;
        const uint64_t row = number / grid[0];
        return {
            .size = sizeof(spoc_native_block),
            .grid = {grid[0], grid[1], grid[2]},
            .block = {block[0], block[1], block[2]},
            .index = {static_cast<uint32_t>(number % grid[0]), static_cast<uint32_t>(row % grid[1]),
                      static_cast<uint32_t>(row / grid[1])},
            .shared_bytes = launch_.shared_bytes,
            .reserved = 0,
            .shared = frame_.shared(lane)};
    }

    const spoc_native_function function_;
    const spoc_be_launch& launch_;
    const launch_frame& frame_;
};

/// What only the kernel's description and the sum of several arguments can tell.
int32_t check(const spoc_be_launch& launch, const spoc_native_kernel& kernel,
              spoc_be_error* error) {
    if (launch.arg_count != kernel.param_count) {
        return plugin::fail(
            error,
            {.status = SPOC_BE_INVALID, .asked = launch.arg_count, .limit = kernel.param_count},
            "The kernel takes another number of arguments (%u given, %u taken).", launch.arg_count,
            kernel.param_count);
    }
    const uint64_t scratch = launch_frame::scratch_bytes(launch);
    if (scratch > max_shared_bytes) {
        return plugin::fail(
            error, {.status = SPOC_BE_TOO_LARGE, .asked = scratch, .limit = max_shared_bytes},
            "The launch asks for more shared and local memory than a block has (%" PRIu64
            " bytes, %" PRIu64 " at most).",
            scratch, max_shared_bytes);
    }
    return SPOC_BE_OK;
}

int32_t run(const spoc_native_kernel& kernel, const spoc_be_launch& launch, spoc_be_error* error) {
    thread_pool& pool = *the_backend.pool;
    const uint32_t lanes = pool.lanes(block_count(launch));
    launch_frame frame(launch, lanes);
    if (!frame.build(launch)) {
        return plugin::fail(error, {.status = SPOC_BE_HOST_MEMORY, .tag = launch.tag},
                            "Host memory for the arguments of a launch is exhausted.");
    }
    block_task blocks(kernel.run, launch, frame, lanes);
    if (!pool.run(blocks)) {
        return plugin::fail(error, {.status = SPOC_BE_LAUNCH, .tag = launch.tag},
                            "The kernel threw an exception, which ended the launch.");
    }
    return SPOC_BE_OK;
}

}  // namespace

int32_t launch(spoc_be_stream stream, const spoc_be_launch* launch, uint32_t* done,
               spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const int32_t status =
            plugin::check_request(launch->flags, SPOC_BE_WAIT, launch->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    const spoc_native_kernel& kernel = launch->kernel->description;
    if (const int32_t status = check(*launch, kernel, error); status != SPOC_BE_OK) {
        return status;
    }
    const stream_work work(stream);
    const buffers_kept<spoc_be_launch, visit_buffers> kept(*launch);
    return run(kernel, *launch, error);
}

}  // namespace spoc::native
