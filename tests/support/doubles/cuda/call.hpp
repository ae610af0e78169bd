// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "machine.hpp"

namespace cuda_double {

/// The contexts that a thread has pushed, the current one last.
std::vector<CUctx_st*>& context_stack() noexcept;

inline CUctx_st* current_context() noexcept {
    return context_stack().empty() ? nullptr : context_stack().back();
}

inline constexpr result invalid_context = 201;

/// Begins a call that needs nothing but the driver: what it has to return at once, or success.
inline result begin(function_number which) {
    machine& machine = machine::the();
    if (const result planned = machine.count(which); planned != api::success) {
        return planned;
    }
    return machine.is_initialized() ? api::success : api::not_initialized;
}

/// Begins a call that needs a current context that is not poisoned.
inline result begin_in_context(function_number which, CUctx_st*& out) {
    if (const result begun = begin(which); begun != api::success) {
        return begun;
    }
    out = current_context();
    if (out == nullptr || out->retained == 0) {
        return invalid_context;
    }
    return out->sticky.load();
}

}  // namespace cuda_double

/// Begins an entry, which returns at once what `begin` or `begin_in_context` says; the latter names
/// the context `context`.
#define SPOC_ENTER(which)                                                       \
    CUctx_st* context = nullptr;                                                \
    if (const result begun = begin_in_context(function_number::which, context); \
        begun != api::success) {                                                \
        return begun;                                                           \
    }
#define SPOC_BEGIN(which)                                                            \
    if (const result begun = begin(function_number::which); begun != api::success) { \
        return begun;                                                                \
    }
