// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <spoc/native.h>

#include "machine.hpp"

/// A kernel as PTX declares it, and the C function that does what it does.
struct CUfunc_st {
    CUctx_st* context = nullptr;
    std::vector<std::size_t> parameters;  ///< bytes of each
    const spoc_native_kernel* native = nullptr;
    std::atomic<int> shared_allowed{48 * 1024};
};

struct CUmod_st {
    CUctx_st* context = nullptr;
    std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

namespace cuda_double {

/// The error log that a caller asked for among its options.
struct wanted_log {
    wanted_log() = default;
    wanted_log(unsigned count, const api::jit_option* options, void** values) {
        for (unsigned i = 0; i < count; ++i) {
            if (options[i] == api::jit_error_log) {
                text = static_cast<char*>(values[i]);
            } else if (options[i] == api::jit_error_log_bytes) {
                capacity = reinterpret_cast<std::uintptr_t>(values[i]);
            }
        }
    }

    void write(const std::string& said) const {
        if (text != nullptr && capacity > 0) {
            static_cast<void>(std::snprintf(text, capacity, "%s", said.c_str()));
        }
    }

    char* text = nullptr;
    std::size_t capacity = 0;
};

}  // namespace cuda_double

struct CUlinkState_st {
    std::string binary;
    cuda_double::wanted_log log;
};

namespace cuda_double {

/// Reads PTX, or a binary that `to_binary` made of it.
result load_module(CUctx_st& context, const char* image, std::unique_ptr<CUmod_st>& out,
                   std::string& log);

/// What the double's linker makes of PTX: an ELF file that holds it. INVALID_PTX for what is none.
result to_binary(std::string_view ptx, std::string& out, std::string& log);

/// Runs all blocks of a launch, one after another.
void run_kernel(const spoc_native_kernel& kernel, const std::uint32_t (&grid)[3],
                const std::uint32_t (&block)[3], std::uint32_t shared_bytes,
                const std::vector<std::vector<std::byte>>& arguments);

}  // namespace cuda_double
