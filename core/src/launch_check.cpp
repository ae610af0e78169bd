// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is checked of a launch before anything is done.

#include <algorithm>
#include <string_view>
#include <utility>

#include "argument_type.hpp"
#include "copy_arguments.hpp"
#include "device.hpp"
#include "launch.hpp"
#include "session.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

static_assert(SPOC_ACCESS_UNKNOWN == SPOC_BE_ACCESS_UNKNOWN);
static_assert(SPOC_ACCESS_IN == SPOC_BE_ACCESS_READ);
static_assert(SPOC_ACCESS_OUT == SPOC_BE_ACCESS_WRITE);
static_assert(SPOC_ACCESS_INOUT == SPOC_BE_ACCESS_READ_WRITE);
static_assert(SPOC_ACCESS_OUT_FULL == (SPOC_BE_ACCESS_WRITE | SPOC_BE_ACCESS_FULL));

outcome too_much(std::string_view what, std::uint64_t asked, std::uint64_t limit) {
    return outcome::invalid(SPOC_SUB_TOO_MUCH, say("The launch has too much: ", what, " (", asked,
                                                   ", at most ", limit, ")."))
        .figures(asked, limit);
}

outcome out_of_bounds(std::string_view what, std::uint64_t asked, std::uint64_t limit) {
    return outcome::invalid(SPOC_SUB_BOUNDS, say("The launch's ", what, " is none that can be (",
                                                 asked, ", the limit is ", limit, ")."))
        .figures(asked, limit);
}

outcome check_elsewhere(const spoc_device_s& where, const spoc_device_s& device,
                        std::uint32_t index) {
    return &where == &device
               ? outcome{}
               : outcome::invalid(SPOC_SUB_DEVICE,
                                  say("Argument ", index, " is on device ", where.selector(),
                                      ", the kernel on ", device.selector(), "."));
}

bool is_access(std::uint32_t access) {
    return access <= SPOC_ACCESS_INOUT || access == SPOC_ACCESS_OUT_FULL;
}

/// Bytes of memory that an argument shows: which memory, and where in it.
struct extent {
    const void* whole;  ///< null: the process's own memory
    std::uint64_t begin;
    std::uint64_t end;

    bool overlaps(const extent& other) const noexcept {
        return whole == other.whole && begin < other.end && other.begin < end;
    }
};

extent extent_of(spoc_device_s& device, const spoc_argument& given, std::uint64_t shown) {
    if (given.kind == SPOC_ARGUMENT_BUFFER) {
        return {given.buffer, given.offset, given.offset + shown};
    }
    if (const std::byte* const host = given.vector->storage_of(&device)) {
        const auto begin = reinterpret_cast<std::uintptr_t>(host) + given.offset;
        return {nullptr, begin, begin + shown};
    }
    return {given.vector, given.offset, given.offset + shown};
}

}  // namespace

outcome launch::check() {
    SPOC_TRY(bind());
    SPOC_TRY(check_arguments());
    SPOC_TRY(check_extent());
    return check_order({stream_, stream_ != nullptr}, device_);
}

outcome launch::check(const kernel_state& kernel) {
    SPOC_TRY(bind());
    SPOC_TRY(check_arity(kernel));
    SPOC_TRY(check_arguments());
    SPOC_TRY(check_parameters(kernel));
    SPOC_TRY(check_sharing());
    SPOC_TRY(check_extent());
    SPOC_TRY(check_kernel_extent(kernel.info()));
    return check_order({stream_, stream_ != nullptr}, device_);
}

outcome launch::bind() {
    short_array<const spoc_argument*, few> by_index(options_.argument_count);
    for (const spoc_argument& one : given_arguments(options_)) {
        if (one.index >= by_index.size() || by_index[one.index] != nullptr) {
            return outcome::invalid(SPOC_SUB_ARITY,
                                    say("The arguments' indices are not 0 to ", by_index.size() - 1,
                                        ", each once (", one.index, ")."));
        }
        by_index[one.index] = &one;
    }
    std::size_t at = 0;
    for (const spoc_argument* const one : by_index.all()) {
        arguments_[at++].given = one;
        if (injects_length(options_, *one)) {
            arguments_[at].given = one;
            arguments_[at++].is_length = true;
        }
    }
    return {};
}

outcome launch::check_arity(const kernel_state& kernel) const {
    if (!kernel.knows_parameters()) {
        return (options_.flags & SPOC_LAUNCH_UNCHECKED) != 0
                   ? outcome{}
                   : outcome::invalid(SPOC_SUB_ARITY,
                                      "Nothing is known of the kernel's parameters: declare them, "
                                      "or launch it unchecked.");
    }
    const std::size_t expected = kernel.parameters().size();
    return expected == arguments_.size()
               ? outcome{}
               : outcome::invalid(SPOC_SUB_ARITY, say("The kernel takes ", expected,
                                                      " arguments, not ", arguments_.size(), "."));
}

outcome launch::check_arguments() {
    for (argument& one : arguments_.all()) {
        if (one.is_length) {
            const argument& vector = *(&one - 1);
            one.shown = sizeof one.length;
            one.length =
                static_cast<std::int32_t>(vector.shown / one.given->vector->element().bytes);
        } else {
            SPOC_TRY(check_argument(one));
        }
    }
    return check_totals();
}

outcome launch::check_argument(argument& one) const {
    const spoc_argument& given = *one.given;
    if (!is_access(given.access) || given.element > SPOC_ELEMENT_RECORD) {
        return outcome::invalid(
            SPOC_SUB_VALUE,
            say("Argument ", given.index, " has an access or element that does not exist."));
    }
    switch (given.kind) {
        case SPOC_ARGUMENT_BUFFER:
            SPOC_TRY(require_pointer(given.buffer, "buffer"));
            SPOC_TRY(check_elsewhere(*given.buffer->device, device_, given.index));
            SPOC_TRY(given.buffer->check_not_freed());
            return check_shown(one, given.buffer->bytes);
        case SPOC_ARGUMENT_VECTOR:
            SPOC_TRY(require_pointer(given.vector, "vector"));
            SPOC_TRY(given.vector->check_launch(&device_));
            return check_shown(one, given.vector->bytes());
        case SPOC_ARGUMENT_SCALAR:
            SPOC_TRY(require_pointer(given.data, "data"));
            one.shown = given.bytes;
            return check_scalar(given);
        case SPOC_ARGUMENT_LOCAL:
            one.shown = given.bytes;
            return given.bytes > 0
                       ? outcome{}
                       : outcome::invalid(SPOC_SUB_LENGTH, say("Argument ", given.index,
                                                               " is local memory of no size."));
        case SPOC_ARGUMENT_ADDRESS:
            one.shown = sizeof(std::uint64_t);
            return require_pointer(given.data, "data");
        default:
            return outcome::invalid(
                SPOC_SUB_VALUE, say("Argument ", given.index, " has a kind that does not exist (",
                                    given.kind, ")."));
    }
}

outcome launch::check_shown(argument& one, std::uint64_t size) const {
    const spoc_argument& given = *one.given;
    const std::string_view what =
        given.kind == SPOC_ARGUMENT_BUFFER ? "buffer of an argument" : "vector of an argument";
    SPOC_TRY(check_range(what, size, given.offset, given.bytes));
    one.shown = given.bytes != 0 ? given.bytes : size - given.offset;
    if (one.shown == 0) {
        return outcome::invalid(SPOC_SUB_LENGTH, say("Argument ", given.index, " shows no bytes."));
    }
    const std::uint32_t step = device_.info().arg_offset_align;
    if (step != 0 && step != SPOC_BE_UNKNOWN_32 && given.offset % step != 0) {
        return out_of_bounds("offset of an argument, which has to be a multiple,", given.offset,
                             step);
    }
    const std::uint64_t most = device_.info().max_binding;
    return one.shown <= most ? outcome{} : too_much("bytes in one argument", one.shown, most);
}

outcome launch::check_totals() const {
    std::uint64_t scalars = 0;
    std::uint64_t buffers = 0;
    for (const argument& one : arguments_.all()) {
        const bool is_local = !one.is_length && one.given->kind == SPOC_ARGUMENT_LOCAL;
        const std::uint64_t scalar = one.is_memory() || is_local ? 0 : one.shown;
        scalars = scalar > UINT64_MAX - scalars ? UINT64_MAX : scalars + scalar;
        buffers += one.is_memory() ? 1 : 0;
    }
    if (scalars > device_.info().arg_bytes || scalars == UINT64_MAX) {
        return too_much("bytes of scalars", scalars, device_.info().arg_bytes);
    }
    return buffers <= device_.info().arg_buffers
               ? outcome{}
               : too_much("buffers", buffers, device_.info().arg_buffers);
}

std::uint64_t launch::threads() const noexcept {
    // Saturates: three 32-bit factors do not fit.
    const std::uint64_t plane = std::uint64_t{options_.block[0]} * options_.block[1];
    const std::uint64_t depth = options_.block[2];
    return depth != 0 && plane > UINT64_MAX / depth ? UINT64_MAX : plane * depth;
}

std::uint64_t launch::local_bytes() const noexcept {
    std::uint64_t sum = options_.shared_bytes;
    for (const argument& one : arguments_.all()) {
        const bool is_local = !one.is_length && one.given->kind == SPOC_ARGUMENT_LOCAL;
        sum = is_local && one.shown > UINT64_MAX - sum ? UINT64_MAX
                                                       : sum + (is_local ? one.shown : 0);
    }
    return sum;
}

outcome launch::check_extent() const {
    const spoc_be_device_info& info = device_.info();
    for (int i = 0; i < 3; ++i) {
        if (options_.grid[i] == 0 || options_.grid[i] > info.max_grid[i]) {
            return out_of_bounds("grid", options_.grid[i], info.max_grid[i]);
        }
        if (options_.block[i] == 0 || options_.block[i] > info.max_block[i]) {
            return out_of_bounds("block", options_.block[i], info.max_block[i]);
        }
    }
    if (threads() > info.max_block_threads) {
        return out_of_bounds("number of threads in a block", threads(), info.max_block_threads);
    }
    return local_bytes() <= info.shared_per_block
               ? outcome{}
               : out_of_bounds("shared memory", local_bytes(), info.shared_per_block);
}

outcome launch::check_kernel_extent(const spoc_be_kernel_info& kernel) const {
    if (kernel.fixed_block[0] != 0 &&
        !std::equal(options_.block, options_.block + 3, kernel.fixed_block)) {
        return outcome::invalid(
            SPOC_SUB_BOUNDS,
            say("The kernel can be launched with blocks of ", kernel.fixed_block[0], " by ",
                kernel.fixed_block[1], " by ", kernel.fixed_block[2], " threads alone."));
    }
    if (threads() > kernel.max_block_threads) {
        return out_of_bounds("number of threads in a block of this kernel", threads(),
                             kernel.max_block_threads);
    }
    const std::uint64_t fixed =
        kernel.shared_static == SPOC_BE_UNKNOWN_64 ? 0 : kernel.shared_static;
    const std::uint64_t most = device_.info().shared_per_block;
    return fixed <= most && local_bytes() <= most - fixed
               ? outcome{}
               : out_of_bounds("shared memory beside the kernel's own", local_bytes(),
                               fixed <= most ? most - fixed : 0);
}

outcome launch::check_parameters(const kernel_state& kernel) {
    const std::span<const spoc_parameter> parameters = kernel.parameters();
    static constexpr spoc_parameter unknown{};
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        argument& one = arguments_[i];
        const spoc_parameter& parameter = i < parameters.size() ? parameters[i] : unknown;
        if (one.is_length) {
            SPOC_TRY(check_length_fits(*one.given, parameter));
            continue;
        }
        SPOC_TRY(check_fits(*one.given, one.shown, parameter));
        // What the kernel only reads need not be taken for written.
        const std::uint32_t otherwise =
            parameter.access == SPOC_ACCESS_IN ? SPOC_ACCESS_IN : SPOC_ACCESS_INOUT;
        one.access = one.given->access != SPOC_ACCESS_UNKNOWN ? one.given->access : otherwise;
    }
    return {};
}

outcome launch::check_sharing() const {
    const std::span<const argument> all = arguments_.all();
    for (auto one = all.begin(); one != all.end(); ++one) {
        for (auto other = all.begin(); one->is_memory() && other != one; ++other) {
            if (other->is_memory() && (one->writes() || other->writes()) &&
                extent_of(device_, *one->given, one->shown)
                    .overlaps(extent_of(device_, *other->given, other->shown))) {
                return outcome::invalid(
                    SPOC_SUB_OVERLAP,
                    say("Arguments ", other->given->index, " and ", one->given->index,
                        " share bytes, and one of them is written."));
            }
        }
    }
    return {};
}

outcome launch::check_offered() const {
    if (device_.table().launch == nullptr) {
        return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                             say("Backend ", device_.backend(), " launches no kernels."))
            .about(device_.backend(), static_cast<std::int32_t>(device_.id()));
    }
    if (options_.shared_bytes != 0) {
        SPOC_TRY(check_offers(device_, SPOC_BE_CAP_DYNAMIC_SHARED, "the launch"));
    }
    for (const spoc_argument& one : given_arguments(options_)) {
        if (one.kind == SPOC_ARGUMENT_LOCAL) {
            SPOC_TRY(check_offers(device_, SPOC_BE_CAP_LOCAL_ARGS, "the launch"));
        } else if (one.kind == SPOC_ARGUMENT_ADDRESS) {
            SPOC_TRY(check_offers(device_, SPOC_BE_CAP_RAW_POINTER_ARGS, "the launch"));
        } else if (one.kind != SPOC_ARGUMENT_SCALAR && one.offset != 0) {
            SPOC_TRY(check_offers(device_, SPOC_BE_CAP_ARG_OFFSET, "the launch"));
        }
    }
    return {};
}

}  // namespace spoc::detail
