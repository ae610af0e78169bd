// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <spoc/backend.h>

#include "common/host.hpp"
#include "common/status.hpp"

namespace spoc::plugin {

/// Makes an object behind a handle in memory of the host's, where it is counted. `out` is untouched
/// on failure.
template <typename Object, typename... Arguments>
int32_t make(host& host, Object*& out, spoc_be_error* error, Arguments&&... arguments) noexcept {
    static_assert(std::is_nothrow_constructible_v<Object, Arguments...>);
    void* block = host.allocate(sizeof(Object), alignof(Object));
    if (block == nullptr) {
        fail(error, {.status = SPOC_BE_HOST_MEMORY, .asked = sizeof(Object)},
             "Host memory for an object is exhausted (%zu bytes).", sizeof(Object));
        // Written here, where a compiler and a reader see that it is never OK.
        return SPOC_BE_HOST_MEMORY;
    }
    out = new (block) Object(std::forward<Arguments>(arguments)...);
    return SPOC_BE_OK;
}

/// Ends an object from `make`.
template <typename Object>
void destroy(host& host, Object* object) noexcept {
    object->~Object();
    host.release(object);
}

}  // namespace spoc::plugin
