// SPDX-License-Identifier: Apache-2.0
#include "launch_request.hpp"

#include <algorithm>

#include "check.hpp"

namespace spoc::conformance {

launch_request::launch_request(const ready_kernel& kernel, const extent& grid)
    : launch_(sized<spoc_be_launch>()) {
    launch_.kernel = kernel.handle;
    std::copy(grid.begin(), grid.end(), std::begin(launch_.grid));
    std::copy(kernel.block.begin(), kernel.block.end(), std::begin(launch_.block));
}

spoc_be_arg& launch_request::next(std::uint32_t kind) {
    spoc_be_arg& arg = args_.emplace_back();
    arg.index = static_cast<std::uint32_t>(args_.size() - 1);
    arg.kind = kind;
    return arg;
}

launch_request& launch_request::shows(spoc_be_buffer buffer, std::uint32_t access,
                                      std::uint64_t offset, std::uint64_t bytes) {
    spoc_be_arg& arg = next(SPOC_BE_PARAM_BUFFER);
    arg.access = access;
    arg.buffer = buffer;
    arg.offset = offset;
    arg.bytes = bytes;
    return *this;
}

launch_request& launch_request::scalar(const void* data, std::uint64_t bytes) {
    spoc_be_arg& arg = next(SPOC_BE_PARAM_SCALAR);
    arg.data = data;
    arg.bytes = bytes;
    return *this;
}

launch_request& launch_request::local(std::uint64_t bytes) {
    next(SPOC_BE_PARAM_LOCAL).bytes = bytes;
    return *this;
}

launch_request& launch_request::shared(std::uint32_t bytes) {
    launch_.shared_bytes = bytes;
    return *this;
}

spoc_be_launch launch_request::request(std::uint32_t flags) const {
    spoc_be_launch request = launch_;
    request.flags = flags;
    request.args = args_.data();
    request.arg_count = static_cast<std::uint32_t>(args_.size());
    return request;
}

std::uint32_t launch_request::run(const device& dev, spoc_be_stream stream,
                                  std::uint32_t flags) const {
    const spoc_be_launch wanted = request(flags);
    std::uint32_t done = SPOC_BE_DONE_NOTHING;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.launch(stream, &wanted, &done, &error), "launch", error);
    check_done(done, flags, "launch");
    return done;
}

launch_request scale_request(const ready_kernel& scale, spoc_be_buffer in, spoc_be_buffer out,
                             const std::uint32_t& factor, const std::uint32_t& count) {
    launch_request request(scale, {scale.blocks(count), 1, 1});
    request.shows(in, SPOC_BE_ACCESS_READ)
        .shows(out, SPOC_BE_ACCESS_WRITE)
        .takes(factor)
        .takes(count);
    return request;
}

launch_request spin_request(const ready_kernel& spin, spoc_be_buffer out, const std::uint32_t& seed,
                            const std::uint32_t& rounds) {
    launch_request request(spin, {1, 1, 1});
    request.shows(out, SPOC_BE_ACCESS_WRITE).takes(seed).takes(rounds);
    return request;
}

}  // namespace spoc::conformance
