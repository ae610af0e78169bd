// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Errors as exceptions: one type for each class of spoc/error.h, all of them `spoc::error`.

#include <cstdint>
#include <exception>

#include <spoc/error.h>

namespace spoc {

/// A failure reported by libspoc. Copying it does not throw. Any thread.
class error : public std::exception {
 public:
    explicit error(const spoc_error& record) noexcept : record_(record) {}

    /// The message, a full sentence; lives as long as the exception.
    const char* what() const noexcept override { return record_.message; }

    /// The class (`SPOC_INVALID_ARGUMENT`, ...); the derived type says the same.
    spoc_status status() const noexcept { return record_.status; }

    /// What exactly, `SPOC_SUB_*`.
    std::uint32_t sub_code() const noexcept { return record_.sub_code; }

    /// Everything known about the failure.
    const spoc_error& record() const noexcept { return record_; }

 private:
    spoc_error record_;
};

/// The caller's mistake (`SPOC_INVALID_ARGUMENT`).
class invalid_argument : public error {
    using error::error;
};
/// The backend or device does not offer it (`SPOC_FEATURE_NOT_SUPPORTED`).
class feature_not_supported : public error {
    using error::error;
};
/// The driver or device failed (`SPOC_BACKEND_ERROR`).
class backend_error : public error {
    using error::error;
};
/// The backend or the runtime cannot be used (`SPOC_UNAVAILABLE`).
class unavailable : public error {
    using error::error;
};
/// A host range cannot become a buffer (`SPOC_HOST_POINTER_REFUSED`).
class host_pointer_refused : public error {
    using error::error;
};
/// A broken invariant inside SPOC (`SPOC_INTERNAL_ERROR`).
class internal_error : public error {
    using error::error;
};

namespace detail {

/// Throws the exception that mirrors `record.status`.
[[noreturn]] inline void raise(const spoc_error& record) {
    switch (record.status) {
        case SPOC_INVALID_ARGUMENT:
            throw invalid_argument(record);
        case SPOC_FEATURE_NOT_SUPPORTED:
            throw feature_not_supported(record);
        case SPOC_BACKEND_ERROR:
            throw backend_error(record);
        case SPOC_UNAVAILABLE:
            throw unavailable(record);
        case SPOC_HOST_POINTER_REFUSED:
            throw host_pointer_refused(record);
        default:
            throw internal_error(record);
    }
}

/// Calls `function(arguments..., &record)` and throws when it fails.
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments) {
    spoc_error record = SPOC_ERROR_INIT;
    if (function(arguments..., &record) != SPOC_OK) {
        raise(record);
    }
}

}  // namespace detail
}  // namespace spoc
