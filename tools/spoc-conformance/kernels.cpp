// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <algorithm>

#include "check.hpp"

namespace spoc::conformance {
extent allowed_block(const device& dev, const spoc_be_kernel_info& info, extent wanted) {
    for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
        wanted[axis] = std::min(wanted[axis], dev.info.max_block[axis]);
    }
    const std::uint32_t most = std::min(info.max_block_threads, dev.info.max_block_threads);
    while (wanted[0] * wanted[1] * wanted[2] > most) {
        std::uint32_t& longest = *std::max_element(wanted.begin(), wanted.end());
        longest = std::max(longest / 2, 1U);
    }
    return wanted;
}

spoc_be_program_desc program_request(const program_form& form, const std::string& bytes) {
    auto desc = sized<spoc_be_program_desc>();
    desc.format = std::uint64_t{1} << form.format;
    desc.data = bytes.empty() ? nullptr : bytes.data();
    desc.bytes = bytes.size();
    return desc;
}

spoc_be_program load_program(device& dev, const program_form& form, known_kernel kernel) {
    const std::string bytes = program_bytes(dev, form, kernel);
    spoc_be_program_desc desc = program_request(form, bytes);
    std::vector<char> log(4096);
    desc.log = log.data();
    desc.log_capacity = log.size();
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    std::int32_t status = SPOC_BE_COMPILE;
    for (const char* options : program_options(form, kernel)) {
        desc.options = options;
        status = dev.be.program_load(dev.handle, &desc, &program, &error);
        if (status != SPOC_BE_COMPILE) {
            break;
        }
    }
    if (status == SPOC_BE_COMPILE) {
        log.back() = '\0';
        fail("program_load refused the suite's own program in the form ", form.name, ": ",
             error_text(error), " Its log: ", log.data());
    }
    expect_status(SPOC_BE_OK, status, "program_load", error);
    require(program != nullptr, "program_load answered OK without a program.");
    return program;
}

spoc_be_kernel get_kernel(device& dev, spoc_be_program program, const program_form& form,
                          known_kernel kernel, const extent& block,
                          std::span<const spoc_be_constant> constants) {
    auto desc = sized<spoc_be_kernel_desc>();
    desc.name = entry_point(form, kernel);
    const std::span<const spoc_be_param> params = declared_params(kernel);
    desc.params = params.data();
    desc.param_count = static_cast<std::uint32_t>(params.size());
    desc.constants = constants.data();
    desc.constant_count = static_cast<std::uint32_t>(constants.size());
    std::copy(block.begin(), block.end(), std::begin(desc.block));
    spoc_be_kernel got = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.kernel_get(program, &desc, &got, &error), "kernel_get", error);
    require(got != nullptr, "kernel_get answered OK without a kernel.");
    return got;
}

spoc_be_kernel_info kernel_info(const device& dev, spoc_be_kernel kernel) {
    auto info = sized<spoc_be_kernel_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.kernel_info(kernel, &info, &error), "kernel_info", error);
    require(info.size == sizeof info, "kernel_info changed the size in its record to ", info.size,
            ".");
    return info;
}

void destroy(const device& dev, spoc_be_program program) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.program_destroy(program, &error), "program_destroy", error);
}

void destroy(const device& dev, spoc_be_kernel kernel) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.kernel_destroy(kernel, &error), "kernel_destroy", error);
}

kernel_set kernel_set::with(device& dev, known_kernel kernel) {
    if (dev.be.program_load == nullptr || dev.be.launch == nullptr) {
        skip("The plugin offers no launches.");
    }
    for (const program_form& form : program_forms()) {
        if (takes(dev, form) && has(form, kernel)) {
            return {dev, form};
        }
    }
    skip("The suite has no kernel \"", name_of(kernel), "\" in a format that the device takes.");
}

spoc_be_program kernel_set::program_for(known_kernel kernel) {
    for (const auto& [other, program] : programs_) {
        if (share_program(form_, kernel, other)) {
            return program;
        }
    }
    const spoc_be_program program = load_program(dev_, form_, kernel);
    dev_.at_end([&dev = dev_, program] { destroy(dev, program); });
    return programs_[kernel] = program;
}

ready_kernel kernel_set::get(known_kernel kernel, const extent& wanted) {
    const spoc_be_program program = program_for(kernel);
    spoc_be_kernel got = get_kernel(dev_, program, form_, kernel);
    spoc_be_kernel_info info = kernel_info(dev_, got);
    const bool is_fixed = info.fixed_block[0] != 0;
    const extent block = allowed_block(dev_, info, wanted);
    if (!is_fixed && !dev_.can(SPOC_BE_CAP_FREE_BLOCK)) {
        // The block has to be said before the kernel is made.
        destroy(dev_, got);
        got = get_kernel(dev_, program, form_, kernel, block);
    }
    dev_.at_end([&dev = dev_, got] { destroy(dev, got); });
    if (is_fixed) {
        return {got, {info.fixed_block[0], info.fixed_block[1], info.fixed_block[2]}};
    }
    return {got, block};
}

std::uint32_t spun(std::uint32_t seed, std::uint32_t rounds) {
    std::uint32_t value = seed;
    for (std::uint32_t i = 0; i < rounds; ++i) {
        value = value * 1664525U + 1013904223U;
        value ^= value >> 13U;
    }
    return value;
}

byte_vector scaled(std::span<const std::byte> in, std::uint32_t factor) {
    std::vector<std::uint32_t> words = words_of(in);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        words[i] = words[i] * factor + i;
    }
    return bytes_of(words);
}

}  // namespace spoc::conformance
