// SPDX-License-Identifier: Apache-2.0
#include "program_trials.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "check.hpp"
#include "launch_request.hpp"

namespace spoc::conformance {

std::int32_t load(const device& dev, const spoc_be_program_desc& desc, spoc_be_program& program,
                  spoc_be_error& error) {
    program = nullptr;
    const std::int32_t status = dev.be.program_load(dev.handle, &desc, &program, &error);
    require(status >= 0 || program == nullptr,
            "program_load failed and wrote a program all the same.");
    require(status < 0 || program != nullptr, "program_load answered ", status_text(status),
            " without a program.");
    return status;
}

spoc_be_program expect_load(const device& dev, const spoc_be_program_desc& desc) {
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, load(dev, desc, program, error), "program_load", error);
    return program;
}

std::int32_t get(const device& dev, spoc_be_program program, const spoc_be_kernel_desc& desc,
                 spoc_be_kernel& kernel, spoc_be_error& error) {
    kernel = nullptr;
    const std::int32_t status = dev.be.kernel_get(program, &desc, &kernel, &error);
    require(status >= 0 || kernel == nullptr, "kernel_get failed and wrote a kernel all the same.");
    return status;
}

extent block_to_say(const device& dev, const program_form& form) {
    if (dev.can(SPOC_BE_CAP_FREE_BLOCK) || form.one_each) {
        return {};
    }
    spoc_be_kernel_info nothing_known{};
    nothing_known.max_block_threads = SPOC_BE_UNKNOWN_32;
    return allowed_block(dev, nothing_known, {64, 1, 1});
}

spoc_be_kernel get_scale(device& dev, spoc_be_program program, const program_form& form) {
    return get_kernel(dev, program, form, known_kernel::scale, block_to_say(dev, form));
}

spoc_be_kernel get_undeclared(const device& dev, spoc_be_program program, const program_form& form,
                              known_kernel kernel) {
    auto desc = sized<spoc_be_kernel_desc>();
    desc.name = entry_point(form, kernel);
    const extent block = block_to_say(dev, form);
    std::copy(block.begin(), block.end(), std::begin(desc.block));
    spoc_be_kernel got = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, get(dev, program, desc, got, error), "kernel_get", error);
    return got;
}

ready_kernel with_own_block(const device& dev, spoc_be_kernel kernel) {
    const spoc_be_kernel_info info = kernel_info(dev, kernel);
    if (info.fixed_block[0] != 0) {
        return {kernel, {info.fixed_block[0], info.fixed_block[1], info.fixed_block[2]}};
    }
    return {kernel, allowed_block(dev, info, {64, 1, 1})};
}

void try_scale(device& dev, spoc_be_kernel kernel, std::uint32_t factor) {
    if (dev.be.launch == nullptr) {
        return;
    }
    constexpr std::uint32_t count = 257;
    constexpr std::uint64_t count_bytes = count * word_bytes;
    const byte_vector contents = pattern(count_bytes, factor);
    const spoc_be_buffer in = dev.buffer(contents);
    const spoc_be_buffer out = dev.buffer(count_bytes);
    const ready_kernel scale = with_own_block(dev, kernel);
    scale_request(scale, in, out, factor, count).run(dev, dev.default_stream, SPOC_BE_WAIT);
    expect_bytes(scaled(contents, factor), dev.download(out, 0, count_bytes),
                 "What the kernel \"scale\" wrote");
}

std::uint32_t read_params(const device& dev, spoc_be_kernel kernel, spoc_be_param* params,
                          std::uint32_t capacity) {
    std::uint32_t whole = SPOC_BE_UNKNOWN_32;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.kernel_params(kernel, params, capacity, &whole, &error),
                  "kernel_params", error);
    require(whole != SPOC_BE_UNKNOWN_32, "kernel_params did not say how many there are.");
    return whole;
}

std::uint64_t read_binary(const device& dev, spoc_be_program program, void* data,
                          std::uint64_t capacity) {
    std::uint64_t bytes = SPOC_BE_UNKNOWN_64;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.program_binary(program, data, capacity, &bytes, &error),
                  "program_binary", error);
    require(bytes > 0 && bytes != SPOC_BE_UNKNOWN_64, "program_binary says a length of ", bytes,
            ".");
    return bytes;
}

std::string whole_binary(const device& dev, spoc_be_program program) {
    const std::uint64_t length = read_binary(dev, program, nullptr, 0);
    std::string binary(length, '\0');
    require(read_binary(dev, program, binary.data(), length) == length,
            "program_binary says another length than ", length, " at its second call.");
    return binary;
}

spoc_be_program load_binary(const device& dev, const std::string& binary) {
    auto desc = sized<spoc_be_program_desc>();
    desc.format = std::uint64_t{1} << SPOC_BE_FORMAT_DRIVER_BINARY;
    desc.data = binary.data();
    desc.bytes = binary.size();
    return expect_load(dev, desc);
}

}  // namespace spoc::conformance
