// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>

#include "backend.hpp"

namespace spoc::cudalike {
namespace {

spoc_be_param unknown(std::uint32_t index) {
    spoc_be_param param{};
    param.index = index;
    param.set = SPOC_BE_UNKNOWN_32;
    param.binding = index;
    param.offset = SPOC_BE_UNKNOWN_32;
    return param;
}

/// What a parameter of this size can be. The driver tells no buffer from another value of 8 bytes.
spoc_be_param of_size(std::uint32_t index, std::size_t bytes) {
    spoc_be_param param = unknown(index);
    param.kind = bytes == sizeof(driver::address) ? SPOC_BE_PARAM_UNKNOWN : SPOC_BE_PARAM_SCALAR;
    param.bytes = static_cast<std::uint32_t>(bytes);
    return param;
}

std::vector<spoc_be_param> ask_driver(driver::function kernel) {
    std::vector<spoc_be_param> params;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    while (api().function_parameter(kernel, params.size(), &offset, &bytes) == driver::success) {
        params.push_back(of_size(static_cast<std::uint32_t>(params.size()), bytes));
    }
    return params;
}

/// Takes from a declaration what the driver does not know.
void complete(spoc_be_param& param, const spoc_be_param& declared) {
    const bool buffer_fits =
        declared.kind == SPOC_BE_PARAM_BUFFER && param.kind == SPOC_BE_PARAM_UNKNOWN;
    const bool scalar_fits = declared.kind == SPOC_BE_PARAM_SCALAR &&
                             (declared.bytes == 0 || declared.bytes == param.bytes);
    if (buffer_fits || scalar_fits) {
        const std::uint32_t bytes = param.bytes;
        param = declared;
        param.bytes = scalar_fits ? bytes : declared.bytes;
        param.binding = declared.index;
    }
}

}  // namespace

std::vector<spoc_be_param> read_parameters(driver::function kernel, const spoc_be_kernel_desc& desc,
                                           std::uint32_t& out_reflection) {
    std::vector<spoc_be_param> params;
    if (api().function_parameter == nullptr) {
        params.assign(desc.params, desc.params + desc.param_count);
        out_reflection = desc.param_count > 0 ? SPOC_BE_REFLECTION_ARITY : SPOC_BE_REFLECTION_NONE;
        return params;
    }
    params = ask_driver(kernel);
    for (std::uint32_t i = 0; i < std::min<std::size_t>(desc.param_count, params.size()); ++i) {
        complete(params[i], desc.params[i]);
    }
    out_reflection = SPOC_BE_REFLECTION_ARITY;
    return params;
}

}  // namespace spoc::cudalike
