// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>

#include <spoc/spoc.hpp>

// The kernel y[i] += a * x[i] for the native device: a function that runs one block of a launch,
// and what its parameters are. For a GPU it would be a text in the GPU's language, and say the same
// by itself.
void axpy(const spoc_native_block* block, void* const* args) {
    const auto* const x = static_cast<const float*>(args[0]);
    auto* const y = static_cast<float*>(args[1]);
    const float a = *static_cast<const float*>(args[2]);
    const std::uint32_t count = *static_cast<const std::uint32_t*>(args[3]);
    const std::uint32_t first = block->index[0] * block->block[0];
    for (std::uint32_t i = first; i < std::min(count, first + block->block[0]); ++i) {
        y[i] += a * x[i];
    }
}

constexpr std::uint32_t none = SPOC_BE_UNKNOWN_32;
constexpr spoc_parameter parameters[] = {
    {0, SPOC_PARAMETER_BUFFER, SPOC_ACCESS_IN, SPOC_ELEMENT_F32, 4, none, none, none, 0, 0, "x"},
    {1, SPOC_PARAMETER_BUFFER, SPOC_ACCESS_INOUT, SPOC_ELEMENT_F32, 4, none, none, none, 0, 0, "y"},
    {2, SPOC_PARAMETER_SCALAR, SPOC_ACCESS_IN, SPOC_ELEMENT_F32, 4, none, none, none, 0, 0, "a"},
    {3, SPOC_PARAMETER_SCALAR, SPOC_ACCESS_IN, SPOC_ELEMENT_I32, 4, none, none, none, 0, 0,
     "count"},
};
constexpr spoc_native_kernel axpy_kernel = {SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel),
                                            std::size(parameters), parameters, axpy};

int main() {
    const spoc::runtime runtime;
    const spoc::device device = spoc::devices().front();

    // Get a kernel: load a program in a format that the device takes, and name the kernel.
    spoc::add_native_kernel(device, "axpy", axpy_kernel);
    const spoc::program program(device, SPOC_FORMAT_NATIVE_SYMBOL, "");
    const spoc::kernel kernel(program, "axpy");

    spoc::vector<float> x(1000);
    spoc::vector<float> y(1000);
    x.fill(2.0F);
    y.fill(1.0F);

    // Launch it. The vectors come to the device by themselves, and back when somebody reads them.
    const auto count = static_cast<std::uint32_t>(x.size());
    const spoc::launch_shape shape{.grid = spoc::blocks_for(count, 256), .block = 256};
    spoc::launch(kernel, shape, spoc::in(x), spoc::inout(y), 3.0F, count);
    std::cout << y.at(0) << ' ';

    // Launch on a stream, and go on. Handles may end: the work keeps what it uses.
    const spoc::stream stream(device);
    spoc::launch(kernel, shape, stream, spoc::in(x), spoc::inout(y), 0.5F, count);
    stream.synchronize();
    std::cout << y.at(999) << ' ';

    // A wrong argument is found before anything is done.
    try {
        spoc::launch(kernel, shape, spoc::in(x), spoc::inout(y), 3.0, count);
    } catch (const spoc::invalid_argument& wrong) {
        std::cout << spoc_sub_code_name(wrong.sub_code()) << '\n';
    }
}
