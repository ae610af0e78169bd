// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <memory>
#include <vector>

#include "backend.hpp"
#include "base.hpp"
#include "buffer.hpp"
#include "common/request.hpp"
#include "kernel.hpp"
#include "submit.hpp"

namespace spoc::asynchronous {
namespace {

class launch_work final : public work {
 public:
    explicit launch_work(const spoc_be_launch& request)
        : kernel_(request.kernel),
          args_(request.args, request.args + request.arg_count),
          request_(request) {
        request_.size = sizeof request_;
        request_.flags = SPOC_BE_WAIT;
        request_.kernel = kernel_.base();
        request_.args = args_.data();
        request_.ext = nullptr;
        for (spoc_be_arg& arg : args_) {
            keep(arg);
        }
    }

    int32_t run(spoc_be_stream base, spoc_be_error* error) noexcept override {
        uint32_t done = SPOC_BE_DONE_NOTHING;
        return base::table.launch(base, &request_, &done, error);
    }

 private:
    /// The caller's scalars are gone when this runs.
    void keep(spoc_be_arg& arg) {
        if (arg.kind == SPOC_BE_PARAM_BUFFER) {
            arg.buffer = used_.emplace_back(arg.buffer, arg.access).base();
        } else if (arg.kind == SPOC_BE_PARAM_SCALAR) {
            const auto* bytes = static_cast<const std::byte*>(arg.data);
            arg.data = scalars_.emplace_back(bytes, bytes + arg.bytes).data();
        }
    }

    const kernel_use kernel_;
    std::vector<buffer_use> used_;
    std::vector<std::vector<std::byte>> scalars_;
    std::vector<spoc_be_arg> args_;
    spoc_be_launch request_;
};

/// Scratch of a block. No sum wraps.
uint64_t scratch_bytes(const spoc_be_launch& request) {
    uint64_t bytes = request.shared_bytes;
    for (uint32_t i = 0; i < request.arg_count; ++i) {
        const spoc_be_arg& arg = request.args[i];
        bytes += arg.kind == SPOC_BE_PARAM_LOCAL ? std::min(arg.bytes, UINT64_MAX - bytes) : 0;
    }
    return bytes;
}

/// What the native plugin would refuse when it is too late to say so.
int32_t check(const spoc_be_launch& request, spoc_be_error* error) {
    const uint32_t taken = kernel::of(request.kernel)->params;
    if (request.arg_count != taken) {
        return plugin::fail(error,
                            {.status = SPOC_BE_INVALID, .asked = request.arg_count, .limit = taken},
                            "The kernel takes another number of arguments (%u given, %u taken).",
                            request.arg_count, taken);
    }
    const uint64_t scratch = scratch_bytes(request);
    const uint64_t most = the_backend.state->shared_per_block;
    if (scratch > most) {
        return plugin::fail(error, {.status = SPOC_BE_TOO_LARGE, .asked = scratch, .limit = most},
                            "The launch asks for more shared and local memory than a block has "
                            "(%" PRIu64 " bytes, %" PRIu64 " at most).",
                            scratch, most);
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
    if (const int32_t status = check(*launch, error); status != SPOC_BE_OK) {
        return status;
    }
    return submit(stream, std::make_unique<launch_work>(*launch),
                  (launch->flags & SPOC_BE_WAIT) != 0, done, error);
}

}  // namespace spoc::asynchronous
