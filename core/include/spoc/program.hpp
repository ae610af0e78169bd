// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Programs and kernels as owners; see spoc/program.h for formats, caching and ends.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/program.h>

namespace spoc {

/// How to load a program.
struct program_options {
    std::optional<std::string> options{};  ///< of the compiler
    std::optional<std::string> name{};     ///< for messages
    std::string* log = nullptr;        ///< receives the compiler's words, also when the call throws
    std::size_t log_capacity = 65536;  ///< bytes of them at most
    std::uint32_t flags = 0;           ///< `SPOC_PROGRAM_*`
};

/// A program on one device. Movable, not copyable. Kernels may outlive it. A moved-from program may
/// only be assigned to or destroyed.
class program {
 public:
    /// From a text in `format` (`SPOC_FORMAT_*`). Throws as `spoc_program_load`; what a compiler
    /// says is at the end of the message, cut, and as a whole in `options.log`.
    program(const device& where, std::uint32_t format, std::string_view source,
            const program_options& options = {}) {
        load(where, format, source.data(), source.size(), options);
    }
    /// From bytes.
    program(const device& where, std::uint32_t format, std::span<const std::byte> data,
            const program_options& options = {}) {
        load(where, format, data.data(), data.size(), options);
    }

    program(const program&) = delete;
    program& operator=(const program&) = delete;
    program(program&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    program& operator=(program&& other) noexcept {
        program taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~program() { spoc_program_destroy(handle_); }

    /// The C handle; stays owned by this object.
    spoc_program get() const noexcept { return handle_; }

 private:
    void load(const device& where, std::uint32_t format, const void* data, std::uint64_t bytes,
              const program_options& options) {
        std::string log(options.log == nullptr ? 0 : options.log_capacity, '\0');
        std::uint64_t log_length = 0;
        spoc_program_options given{};
        given.size = sizeof given;
        given.flags = options.flags;
        given.options = options.options ? options.options->c_str() : nullptr;
        given.name = options.name ? options.name->c_str() : nullptr;
        given.log = log.empty() ? nullptr : log.data();
        given.log_capacity = log.size();
        given.out_log_length = &log_length;
        spoc_error failed = SPOC_ERROR_INIT;
        const spoc_status status =
            spoc_program_load(where.get(), format, data, bytes, &given, &handle_, &failed);
        if (options.log != nullptr) {
            *options.log = log.c_str();
        }
        if (status != SPOC_OK) {
            detail::raise(failed);
        }
    }

    spoc_program handle_ = nullptr;
};

/// How to make a kernel.
struct kernel_options {
    std::vector<spoc_parameter> parameters{};  ///< declared; they count where reflection is silent
    std::vector<spoc_constant> constants{};
    std::vector<std::uint32_t> needs{};    ///< `SPOC_BE_CAP_*`
    std::array<std::uint32_t, 3> block{};  ///< that it will be launched with; 0 each: not said
};

/// A kernel. Movable, not copyable. Launches that are pending outlive it. A moved-from kernel may
/// only be assigned to or destroyed.
class kernel {
 public:
    /// Throws as `spoc_kernel_get`.
    kernel(const program& from, const std::string& name, const kernel_options& options = {}) {
        spoc_kernel_options given{};
        given.size = sizeof given;
        given.parameters = options.parameters.data();
        given.parameter_count = static_cast<std::uint32_t>(options.parameters.size());
        given.constants = options.constants.data();
        given.constant_count = static_cast<std::uint32_t>(options.constants.size());
        given.needs = options.needs.data();
        given.need_count = static_cast<std::uint32_t>(options.needs.size());
        for (std::size_t i = 0; i < options.block.size(); ++i) {
            given.block[i] = options.block[i];
        }
        const spoc_kernel_options* const pointer = &given;
        detail::call(spoc_kernel_get, from.get(), name.c_str(), pointer, &handle_);
    }

    kernel(const kernel&) = delete;
    kernel& operator=(const kernel&) = delete;
    kernel(kernel&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    kernel& operator=(kernel&& other) noexcept {
        kernel taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~kernel() { spoc_kernel_destroy(handle_); }

    /// What it needs and may use.
    spoc_kernel_info info() const {
        spoc_kernel_info found{};
        found.size = sizeof found;
        detail::call(spoc_kernel_describe, handle_, &found);
        return found;
    }
    /// Its parameters by index; empty also where nothing is known.
    std::vector<spoc_parameter> parameters() const {
        std::uint32_t count = 0;
        detail::call(spoc_kernel_parameters, handle_, static_cast<spoc_parameter*>(nullptr), 0U,
                     &count);
        std::vector<spoc_parameter> found(count);
        detail::call(spoc_kernel_parameters, handle_, found.data(), count, &count);
        return found;
    }

    /// The C handle; stays owned by this object.
    spoc_kernel get() const noexcept { return handle_; }

 private:
    spoc_kernel handle_ = nullptr;
};

/// Offers a kernel that is a C function (spoc/native.h); see `spoc_native_kernel_add`. Both live as
/// long as the process.
inline void add_native_kernel(const device& where, const char* name,
                              const spoc_native_kernel& added) {
    const spoc_native_kernel* const pointer = &added;
    detail::call(spoc_native_kernel_add, where.get(), name, pointer);
}

}  // namespace spoc
