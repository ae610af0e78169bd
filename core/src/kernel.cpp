// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "device.hpp"
#include "program.hpp"
#include "session.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

const char* name_of(std::uint32_t capability) noexcept {
    std::uint32_t found = 0;
    for (std::uint32_t i = 0;; ++i) {
        const char* const name = spoc_capability_at(i, &found);
        if (name == nullptr || found == capability) {
            return name;
        }
    }
}

bool is_64_bit(std::uint32_t element, std::uint32_t& out_capability) noexcept {
    out_capability = element == SPOC_ELEMENT_F64 ? SPOC_BE_CAP_FP64 : SPOC_BE_CAP_INT64;
    return element == SPOC_ELEMENT_F64 || element == SPOC_ELEMENT_I64;
}

outcome check_parameter(const spoc_parameter& parameter, std::uint32_t place) {
    if (parameter.index != place) {
        return outcome::invalid(SPOC_SUB_ARITY, say("The declared parameter at place ", place,
                                                    " has index ", parameter.index, "."));
    }
    if (parameter.kind > SPOC_PARAMETER_OTHER || parameter.element > SPOC_ELEMENT_RECORD) {
        return outcome::invalid(
            SPOC_SUB_VALUE,
            say("The declared parameter ", place, " is of a kind or element that does not exist."));
    }
    return {};
}

outcome check_constant(const spoc_constant& constant) {
    const bool exists =
        constant.bytes == 1 || constant.bytes == 2 || constant.bytes == 4 || constant.bytes == 8;
    return exists ? outcome{}
                  : outcome::invalid(SPOC_SUB_VALUE,
                                     say("The constant ", constant.id, " has no size that exists (",
                                         constant.bytes, " bytes; 1, 2, 4 or 8)."));
}

outcome check_block(const std::uint32_t (&block)[3]) {
    const auto zeros = std::count(std::begin(block), std::end(block), 0U);
    return zeros == 0 || zeros == 3
               ? outcome{}
               : outcome::invalid(SPOC_SUB_VALUE, "The block has an extent of 0 beside others.");
}

outcome check_request(const kernel_request& wanted) {
    for (std::uint32_t i = 0; i < wanted.parameters.size(); ++i) {
        SPOC_TRY(check_parameter(wanted.parameters[i], i));
    }
    for (const spoc_constant& constant : wanted.constants) {
        SPOC_TRY(check_constant(constant));
    }
    for (const std::uint32_t capability : wanted.needs) {
        if (name_of(capability) == nullptr) {
            return outcome::invalid(SPOC_SUB_VALUE,
                                    say("There is no capability ", capability, "."));
        }
    }
    return check_block(wanted.block);
}

}  // namespace

outcome check_offers(const spoc_device_s& device, std::uint32_t capability, std::string_view who) {
    if (device.offers(capability)) {
        return {};
    }
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("Device ", device.selector(), " does not say that it has ",
                             name_of(capability), ", which ", who, " needs."))
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

outcome read_kernel_options(const spoc_kernel_options* options, kernel_request& out) {
    if (options == nullptr) {
        return {};
    }
    SPOC_TRY(require_sized(options, "options"));
    spoc_kernel_options given{};
    std::memcpy(&given, options, std::min<std::size_t>(options->size, sizeof given));
    if (given.flags != 0) {
        return outcome::invalid(SPOC_SUB_VALUE, say("There is no flag in ", given.flags, "."));
    }
    SPOC_TRY(require_pointer_for(given.parameter_count, given.parameters, "parameters"));
    SPOC_TRY(require_pointer_for(given.constant_count, given.constants, "constants"));
    SPOC_TRY(require_pointer_for(given.need_count, given.needs, "needs"));
    out.parameters = {given.parameters, given.parameter_count};
    out.constants = {given.constants, given.constant_count};
    out.needs = {given.needs, given.need_count};
    std::copy_n(given.block, 3, out.block);
    return check_request(out);
}

/* ---- Making a kernel ---- */

outcome kernel_state::make(spoc_be_program program, const kernel_request& wanted,
                           std::span<const spoc_parameter> declared) {
    begin();
    spoc_be_kernel_desc desc{};
    desc.size = sizeof desc;
    desc.name = wanted.name;
    desc.constants = wanted.constants.data();
    desc.constant_count = static_cast<std::uint32_t>(wanted.constants.size());
    desc.params = declared.data();
    desc.param_count = static_cast<std::uint32_t>(declared.size());
    std::copy_n(wanted.block, 3, desc.block);
    plugin_error error;
    const std::int32_t status = device().table().kernel_get(program, &desc, &handle_, &error);
    if (status < 0) {
        return device().failure(status, error, SPOC_SUB_MODULE_LOAD_FAILED);
    }
    SPOC_TRY(read_info());
    return read_parameters(declared);
}

outcome kernel_state::read_info() {
    info_.size = sizeof info_;
    plugin_error error;
    const std::int32_t status = device().table().kernel_info(handle_, &info_, &error);
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
}

outcome kernel_state::read_parameters(std::span<const spoc_parameter> declared) {
    const auto read = [this](std::uint32_t capacity, std::uint32_t& out_count) -> outcome {
        parameters_.resize(capacity);
        plugin_error error;
        const std::int32_t status = device().table().kernel_params(handle_, parameters_.data(),
                                                                   capacity, &out_count, &error);
        return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
    };
    const bool reflects = info_.reflection != SPOC_BE_REFLECTION_NONE;
    if (!reflects) {
        // Whether the plugin repeats what was declared is its own matter.
        parameters_.assign(declared.begin(), declared.end());
        knows_parameters_ = !declared.empty();
        return {};
    }
    std::uint32_t count = info_.param_count == SPOC_BE_UNKNOWN_32 ? 0 : info_.param_count;
    const std::uint32_t expected = count;
    SPOC_TRY(read(expected, count));
    if (count > expected) {
        SPOC_TRY(read(count, count));
    }
    parameters_.resize(count);
    knows_parameters_ = true;
    return {};
}

outcome kernel_state::end() {
    ended_.store(true);
    if (handle_ == nullptr) {
        return {};
    }
    plugin_error error;
    const std::int32_t status =
        device().table().kernel_destroy(std::exchange(handle_, nullptr), &error);
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
}

outcome kernel_state::check_usable() const {
    return is_alive() ? outcome{}
                      : outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                                      "The kernel belongs to a runtime that was shut down.");
}

outcome kernel_state::check_features() const {
    for (const spoc_parameter& parameter : parameters_) {
        std::uint32_t capability = 0;
        if (is_64_bit(parameter.element, capability)) {
            SPOC_TRY(check_offers(device(), capability, "the kernel"));
        }
        // Buffers of halves can be read and written without arithmetic on them.
        if (parameter.element == SPOC_ELEMENT_F16 && parameter.kind == SPOC_PARAMETER_SCALAR) {
            SPOC_TRY(check_offers(device(), SPOC_BE_CAP_FP16, "the kernel"));
        }
    }
    return {};
}

}  // namespace spoc::detail

using namespace spoc::detail;

spoc_status spoc_kernel_get(spoc_program program, const char* name,
                            const spoc_kernel_options* options, spoc_kernel* out_kernel,
                            spoc_error* error) noexcept {
    return boundary("spoc_kernel_get", error, [&]() -> outcome {
        session call;
        kernel_request wanted;
        SPOC_TRY(require_pointer(program, "program"));
        SPOC_TRY(require_pointer(name, "name"));
        SPOC_TRY(require_pointer(out_kernel, "out_kernel"));
        wanted.name = name;
        if (*name == '\0') {
            return outcome::invalid(SPOC_SUB_NAME, "The kernel's name is empty.");
        }
        SPOC_TRY(read_kernel_options(options, wanted));
        SPOC_TRY(call.enter());
        auto kernel = std::make_unique<spoc_kernel_s>();
        const program_cache cache(call.config().cache_directory());
        SPOC_TRY(program->state->get_kernel(cache, wanted, kernel->state));
        kernel->counted =
            counted_handle(handle_kind::kernel, program->state->device().accounts(), 0);
        *out_kernel = kernel.release();
        return {};
    });
}

void spoc_kernel_destroy(spoc_kernel kernel) noexcept {
    const traced_call traced("spoc_kernel_destroy");
    // A launch that needs the kernel shares it.
    const call_guard guard;
    const std::unique_ptr<spoc_kernel_s> owned(kernel);
}

spoc_status spoc_kernel_describe(spoc_kernel kernel, spoc_kernel_info* out_info,
                                 spoc_error* error) noexcept {
    return boundary("spoc_kernel_describe", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(kernel, "kernel"));
        SPOC_TRY(require_sized(out_info, "out_info"));
        const kernel_state& state = *kernel->state;
        const spoc_be_kernel_info& known = state.info();
        spoc_kernel_info info{};
        info.parameter_count = state.knows_parameters()
                                   ? static_cast<std::uint32_t>(state.parameters().size())
                                   : SPOC_BE_UNKNOWN_32;
        info.device = &state.device();
        info.max_block_threads = known.max_block_threads;
        info.preferred_multiple = known.preferred_multiple;
        std::copy_n(known.fixed_block, 3, info.fixed_block);
        info.argument_bytes = known.arg_bytes;
        info.shared_static = known.shared_static;
        info.private_bytes = known.private_bytes;
        info.registers = known.registers;
        return write_sized(info, out_info);
    });
}

spoc_status spoc_kernel_parameters(spoc_kernel kernel, spoc_parameter* out_parameters,
                                   uint32_t capacity, uint32_t* out_count,
                                   spoc_error* error) noexcept {
    return boundary("spoc_kernel_parameters", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(kernel, "kernel"));
        SPOC_TRY(require_pointer_for(capacity, out_parameters, "out_parameters"));
        SPOC_TRY(require_pointer(out_count, "out_count"));
        const std::span<const spoc_parameter> known = kernel->state->parameters();
        std::copy_n(known.begin(), std::min<std::size_t>(capacity, known.size()), out_parameters);
        *out_count = static_cast<std::uint32_t>(known.size());
        return {};
    });
}
