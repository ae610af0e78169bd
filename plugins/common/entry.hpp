// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <tuple>

#include <spoc/backend.h>

#include "common/status.hpp"

namespace spoc::plugin {

/// Names the exception in flight for the host.
inline int32_t fail_with_exception(spoc_be_error* error) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return fail(error, {.status = SPOC_BE_HOST_MEMORY}, "Host memory is exhausted.");
    } catch (...) {
        return fail(error, {.status = SPOC_BE_INTERNAL},
                    "The plugin caught an exception that it did not expect.");
    }
}

template <auto Function>
struct guarded;

template <typename... Arguments, int32_t (*Function)(Arguments...)>
struct guarded<Function> {
    static int32_t call(Arguments... arguments) noexcept {
        try {
            return Function(arguments...);
        } catch (...) {
            return fail_with_exception(std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)));
        }
    }
};

/// `Function` as an entry of the table: nothing thrown in it reaches the host.
template <auto Function>
inline constexpr auto entry = &guarded<Function>::call;

}  // namespace spoc::plugin
