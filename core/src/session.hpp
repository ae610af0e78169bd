// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "outcome.hpp"
#include "process_state.hpp"
#include "registry.hpp"
#include "text.hpp"

/// Returns from the enclosing function when `expression`, an `outcome`, is a failure.
#define SPOC_TRY(expression)                                             \
    do {                                                                 \
        if (::spoc::detail::outcome tried = (expression); !tried.ok()) { \
            return tried;                                                \
        }                                                                \
    } while (false)

namespace spoc::detail {

/// What one start of the runtime holds. Kept for the life of the process, since plugins and handles
/// point into it.
struct runtime_state {
    runtime_state(settings read, const registry_options& options, bool allow_cpu_choice)
        : config(std::move(read)), backends(config, options), allow_cpu(allow_cpu_choice) {}
    runtime_state(const runtime_state&) = delete;
    runtime_state& operator=(const runtime_state&) = delete;

    const settings config;
    registry backends;
    const bool allow_cpu;
};

/// One call of a public function that needs the runtime. Made first thing in it, and counted until
/// it returns.
class session {
 public:
    /// Whether the call may go on: the process is in a state in which drivers can be used, and the
    /// runtime runs.
    outcome enter();

    /// After `enter` succeeded.
    registry& backends() noexcept { return runtime_->backends; }
    bool allows_cpu() const noexcept { return runtime_->allow_cpu; }
    const settings& config() const noexcept { return runtime_->config; }

 private:
    call_guard guard_;
    runtime_state* runtime_ = nullptr;
};

/// Failure for a process that is forked or ending; success when it is neither.
outcome check_process(std::uint32_t state);

/// NULL error when `pointer` is null.
template <typename Pointer>
outcome require_pointer(Pointer pointer, std::string_view name) {
    return pointer != nullptr
               ? outcome{}
               : outcome::invalid(SPOC_SUB_NULL, say("The argument ", name, " is null."));
}

/// The same, unless `count` is 0.
template <typename Pointer>
outcome require_pointer_for(std::uint64_t count, Pointer pointer, std::string_view name) {
    return count == 0 ? outcome{} : require_pointer(pointer, name);
}

/// NULL error when `out` is null, VALUE error when the caller did not set its size.
template <typename Struct>
outcome require_sized(const Struct* out, std::string_view name) {
    SPOC_TRY(require_pointer(out, name));
    return out->size >= sizeof out->size
               ? outcome{}
               : outcome::invalid(SPOC_SUB_VALUE, say("The size of ", name, " is not set (",
                                                      out->size, " bytes)."));
}

/// Writes a structure that begins with its size into the caller's version of it, which may be
/// shorter or longer. `require_sized` was asked before.
template <typename Struct>
outcome write_sized(Struct value, Struct* out) {
    value.size = out->size;
    std::memcpy(out, &value, std::min<std::size_t>(out->size, sizeof value));
    return {};
}

}  // namespace spoc::detail
