// SPDX-License-Identifier: Apache-2.0

/// \file
/// The entry `launch` called directly against `spoc_launch`, with a kernel that does next to
/// nothing.

#include <array>
#include <cstdint>
#include <memory>

#include <spoc/native.h>

#include "bench_case.hpp"
#include "repeated_call.hpp"

namespace spoc::bench {
namespace {

constexpr std::uint64_t element_count = 1024;
constexpr std::uint64_t vector_bytes = element_count * sizeof(float);
const char* const kernel_name = "spoc_bench_add_scaled";

/// `sum[0] += one[0] * factor`.
void add_scaled(const spoc_native_block* /*block*/, void* const* arguments) {
    auto* const sum = static_cast<float*>(arguments[0]);
    const auto* const one = static_cast<const float*>(arguments[1]);
    sum[0] += one[0] * *static_cast<const float*>(arguments[2]);
}

spoc_be_param parameter(std::uint32_t index, std::uint32_t kind, std::uint32_t access) {
    spoc_be_param made{};
    made.index = index;
    made.kind = kind;
    made.access = access;
    made.element = SPOC_ELEMENT_F32;
    made.bytes = sizeof(float);
    made.set = made.binding = made.offset = SPOC_BE_UNKNOWN_32;
    return made;
}

/// As long as the process, as plugins want it.
const spoc_native_kernel& added_kernel() {
    static const std::array parameters = {
        parameter(0, SPOC_BE_PARAM_BUFFER, SPOC_BE_ACCESS_READ_WRITE),
        parameter(1, SPOC_BE_PARAM_BUFFER, SPOC_BE_ACCESS_READ),
        parameter(2, SPOC_BE_PARAM_SCALAR, SPOC_BE_ACCESS_READ)};
    static const spoc_native_kernel kernel = {SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel),
                                              parameters.size(), parameters.data(), add_scaled};
    return kernel;
}

/// Null where the plugin runs no C functions.
const spoc_native_kernels* kernels_of(const raw_backend& raw) {
    const void* found = nullptr;
    spoc_be_error error = empty_error();
    const std::int32_t status = raw.table().get_interface(
        SPOC_NATIVE_KERNELS_INTERFACE, sizeof(spoc_native_kernels), &found, &error);
    return status < 0 ? nullptr : static_cast<const spoc_native_kernels*>(found);
}

/// The kernel and its arguments on each side.
struct launches {
    explicit launches(const bench_place& place)
        : on(place),
          raw(place.raw, kernel_name),
          raw_sum(place.raw, vector_bytes),
          raw_one(place.raw, vector_bytes),
          own(program(place.where, SPOC_FORMAT_NATIVE_SYMBOL, ""), kernel_name) {
        own_sum.fill(0.0F);
        own_one.fill(0.0F);
        describe_raw();
        describe_own();
    }
    launches(const launches&) = delete;
    launches& operator=(const launches&) = delete;

    streams on;
    float factor = 2.0F;

    raw_kernel raw;
    raw_buffer raw_sum;
    raw_buffer raw_one;
    std::array<spoc_be_arg, 3> raw_arguments{};
    spoc_be_launch request{};

    kernel own;
    vector<float> own_sum = vector<float>(element_count);
    vector<float> own_one = vector<float>(element_count);
    std::array<spoc_argument, 3> own_arguments{};
    spoc_launch_options options{};

 private:
    void describe_raw() {
        raw_arguments[0].buffer = raw_sum.handle;
        raw_arguments[0].access = SPOC_BE_ACCESS_READ_WRITE;
        raw_arguments[1].buffer = raw_one.handle;
        raw_arguments[1].access = SPOC_BE_ACCESS_READ;
        raw_arguments[2].data = &factor;
        for (std::uint32_t i = 0; i < raw_arguments.size(); ++i) {
            raw_arguments[i].index = i;
            raw_arguments[i].kind = i < 2 ? SPOC_BE_PARAM_BUFFER : SPOC_BE_PARAM_SCALAR;
            raw_arguments[i].bytes = i < 2 ? vector_bytes : sizeof factor;
        }
        request.size = sizeof request;
        request.kernel = raw.handle;
        for (int axis = 0; axis < 3; ++axis) {
            request.grid[axis] = request.block[axis] = 1;
        }
        request.arg_count = static_cast<std::uint32_t>(raw_arguments.size());
        request.args = raw_arguments.data();
    }
    void describe_own() {
        own_arguments = detail::in_order(inout(own_sum), in(own_one), factor);
        own_arguments[2].data = &factor;
        options = detail::options_of({}, own_arguments);
    }
};

}  // namespace

std::vector<contest> launch_contests(const bench_place& place) {
    const spoc_native_kernels* const kernels = kernels_of(place.raw);
    if (kernels == nullptr) {
        return {};
    }
    spoc_be_error error = empty_error();
    raw_backend::check(kernels->add(kernel_name, &added_kernel(), &error), error);
    add_native_kernel(place.where, kernel_name, added_kernel());
    const auto all = std::make_shared<launches>(place);
    contest made{"two vectors and a number", "the entry launch", {}, {}, 200, 512};
    made.raw.run = repeat_raw([all](spoc_be_error& failed) {
        std::uint32_t done = 0;
        return all->on.table.launch(all->on.raw.handle, &all->request, &done, &failed);
    });
    made.raw.after = [all](std::uint64_t) { all->on.raw.synchronize(); };
    made.spoc.run = repeat([all](spoc_error& failed) {
        return spoc_launch(all->own.get(), &all->options, all->on.own.get(), &failed);
    });
    made.spoc.after = [all](std::uint64_t) { all->on.own.synchronize(); };
    return {made};
}

}  // namespace spoc::bench
