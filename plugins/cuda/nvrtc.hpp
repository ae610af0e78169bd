// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <spoc/backend.h>

#include "common/host.hpp"

struct _nvrtcProgram;  // NOLINT(bugprone-reserved-identifier): NVIDIA's own name

namespace spoc::cuda {

/// NVIDIA's run-time compiler of CUDA C, which is installed apart from the driver and may be
/// missing.
class nvrtc {
 public:
    constexpr nvrtc() noexcept = default;

    /// Opens the library if it is there. Not again after it was tried.
    void open(plugin::host& host) noexcept;
    bool is_there() const noexcept { return api_.compile != nullptr; }
    /// Why it is not.
    const char* reason() const noexcept { return reason_; }

    /// Compiles for devices of a compute capability. `out_image` is a device binary, or PTX where
    /// the compiler is older than the device. `log` receives the compiler's words, on failure too.
    std::int32_t compile(const spoc_be_program_desc& desc, std::uint32_t major, std::uint32_t minor,
                         std::string& out_image, std::string& log, spoc_be_error* error) const;

 private:
    using program = _nvrtcProgram*;
    using result = std::int32_t;

    struct functions {
        result (*version)(int* major, int* minor) = nullptr;
        const char* (*error_text)(result code) = nullptr;
        result (*create)(program* out, const char* source, const char* name, int header_count,
                         const char* const* headers, const char* const* header_names) = nullptr;
        result (*destroy)(program* ended) = nullptr;
        result (*compile)(program compiled, int count, const char* const* options) = nullptr;
        result (*log_size)(program asked, std::size_t* bytes) = nullptr;
        result (*log)(program asked, char* text) = nullptr;
        result (*binary_size)(program asked, std::size_t* bytes) = nullptr;
        result (*binary)(program asked, char* image) = nullptr;
        result (*ptx_size)(program asked, std::size_t* bytes) = nullptr;
        result (*ptx)(program asked, char* text) = nullptr;
        result (*arch_count)(int* count) = nullptr;
        result (*archs)(int* numbers) = nullptr;
    };

    class source;

    /// The newest architecture that the compiler knows and a device of `arch` runs.
    int best_arch(int arch) const noexcept;

    functions api_;
    bool tried_ = false;
    char reason_[200] = {};
};

}  // namespace spoc::cuda
