// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <spoc/backend.h>
#include <spoc/error.h>

#include "trace.hpp"

namespace spoc::detail {

/// Success, or everything known about a failure. One pointer wide; success costs no allocation.
class [[nodiscard]] outcome {
 public:
    outcome() noexcept = default;

    /// A failure of class `status` with sub-code `sub_code`.
    static outcome fail(spoc_status status, std::uint32_t sub_code, std::string_view message);
    /// `SPOC_INVALID_ARGUMENT`.
    static outcome invalid(std::uint32_t sub_code, std::string_view message);
    /// `SPOC_UNAVAILABLE`, the sub-code taken from the reason.
    static outcome unavailable(std::uint32_t reason, std::string_view backend,
                               std::string_view message);
    /// What a plugin's failure means to the caller; `fallback` is the sub-code for a driver failure
    /// without a better one.
    static outcome from_plugin(std::int32_t status, const spoc_be_error& error,
                               std::uint32_t fallback, std::string_view backend,
                               std::int32_t device);

    bool ok() const noexcept { return record_ == nullptr; }
    /// The record of a failure; only when not `ok()`.
    const spoc_error& error() const noexcept { return *record_; }
    spoc_error& error() noexcept { return *record_; }

    /// Names the backend and device that a failure is about and returns it.
    outcome about(std::string_view backend, std::int32_t device) &&;
    /// Sets the figures of a refusal and returns it.
    outcome figures(std::uint64_t asked, std::uint64_t limit) &&;

    /// Hands the result to the caller of `operation`: fills `out`, which may be null, on failure
    /// only.
    spoc_status deliver(const char* operation, spoc_error* out) const noexcept;

 private:
    std::unique_ptr<spoc_error> record_;
};

/// A plugin's error record, ready to be passed to an entry. Its texts are empty, but what is behind
/// their ends is not set: zeroing half a KiB took as long as a lock, in every call.
struct plugin_error : spoc_be_error {
    plugin_error() noexcept {
        size = sizeof(spoc_be_error);
        status = SPOC_BE_OK;
        reason = SPOC_BE_REASON_NONE;
        flags = 0;
        native_code = 0;
        asked = 0;
        limit = 0;
        tag = 0;
        native_domain[0] = '\0';
        origin[0] = '\0';
        message[0] = '\0';
    }
};

/// Fills `out` without allocating; for failures of allocation and of exceptions.
spoc_status deliver_plain(spoc_status status, std::uint32_t sub_code, const char* message,
                          const char* operation, spoc_error* out) noexcept;

/// Runs `body`, which returns an outcome: nothing that it throws goes further.
template <typename Body>
spoc_status contain(const char* operation, spoc_error* error, Body& body) noexcept {
    try {
        return body().deliver(operation, error);
    } catch (const std::bad_alloc&) {
        return deliver_plain(SPOC_BACKEND_ERROR, SPOC_SUB_HOST_MEMORY,
                             "Ordinary host memory is exhausted.", operation, error);
    } catch (...) {
        return deliver_plain(SPOC_INTERNAL_ERROR, SPOC_SUB_NONE,
                             "An exception reached the library's boundary.", operation, error);
    }
}

/// Runs the body of a public function: nothing is thrown across the C boundary, and the trace has
/// the call.
template <typename Body>
spoc_status boundary(const char* operation, spoc_error* error, Body body) noexcept {
    traced_call call(operation);
    return call.returns(contain(operation, error, body));
}

}  // namespace spoc::detail
