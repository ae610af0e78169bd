// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <algorithm>
#include <cstring>

#include "codes.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

struct meaning {
    spoc_status status;
    std::uint32_t sub_code;
};

/// What a plugin's status means to the caller (docs/errors.md has the same table).
meaning meaning_of(std::int32_t plugin_status, std::uint32_t reason, std::uint32_t fallback) {
    switch (plugin_status) {
        case SPOC_BE_UNSUPPORTED:
            return {SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE};
        case SPOC_BE_OUT_OF_MEMORY:
            return {SPOC_BACKEND_ERROR, SPOC_SUB_OOM};
        case SPOC_BE_HOST_MEMORY:
            return {SPOC_BACKEND_ERROR, SPOC_SUB_HOST_MEMORY};
        case SPOC_BE_TOO_LARGE:
            return {SPOC_BACKEND_ERROR, SPOC_SUB_TOO_LARGE};
        case SPOC_BE_DEVICE_LOST:
            return {SPOC_BACKEND_ERROR, SPOC_SUB_DEVICE_LOST};
        case SPOC_BE_COMPILE:
            return {SPOC_BACKEND_ERROR, SPOC_SUB_COMPILE_FAILED};
        case SPOC_BE_NOT_FOUND:
        case SPOC_BE_FORMAT:
            return {SPOC_BACKEND_ERROR, SPOC_SUB_MODULE_LOAD_FAILED};
        case SPOC_BE_LAUNCH:
            return {SPOC_BACKEND_ERROR, SPOC_SUB_LAUNCH_FAILED};
        case SPOC_BE_UNAVAILABLE:
            return {SPOC_UNAVAILABLE, sub_code_of_reason(reason)};
        case SPOC_BE_FORKED:
            return {SPOC_UNAVAILABLE, SPOC_SUB_FORKED};
        case SPOC_BE_EXITING:
            return {SPOC_UNAVAILABLE, SPOC_SUB_EXITING};
        case SPOC_BE_INVALID:
        case SPOC_BE_INTERNAL:
        case SPOC_BE_BUSY:
        case SPOC_BE_EXTENSION:
            return {SPOC_INTERNAL_ERROR, SPOC_SUB_NONE};
        default:
            return {SPOC_BACKEND_ERROR, fallback};
    }
}

}  // namespace

outcome outcome::fail(spoc_status status, std::uint32_t sub_code, std::string_view message) {
    outcome result;
    result.record_ = std::make_unique<spoc_error>();
    result.record_->status = status;
    result.record_->sub_code = sub_code;
    result.record_->device = -1;
    copy_text(result.record_->message, message);
    return result;
}

outcome outcome::invalid(std::uint32_t sub_code, std::string_view message) {
    return fail(SPOC_INVALID_ARGUMENT, sub_code, message);
}

outcome outcome::unavailable(std::uint32_t reason, std::string_view backend,
                             std::string_view message) {
    outcome result = fail(SPOC_UNAVAILABLE, sub_code_of_reason(reason), message);
    result.record_->reason = reason;
    return std::move(result).about(backend, -1);
}

outcome outcome::from_plugin(std::int32_t status, const spoc_be_error& error,
                             std::uint32_t fallback, std::string_view backend,
                             std::int32_t device) {
    const meaning found = meaning_of(status, error.reason, fallback);
    std::string message(field_text(error.message));
    if (message.empty()) {
        message = say("Backend ", backend, " answers with status ", status, " and no message.");
    }
    outcome result = fail(found.status, found.sub_code, message).about(backend, device);
    spoc_error& record = *result.record_;
    record.backend_status = status;
    record.reason = found.status == SPOC_UNAVAILABLE ? error.reason : SPOC_BE_REASON_NONE;
    record.native_code = error.native_code;
    record.asked = error.asked;
    record.limit = error.limit;
    record.tag = error.tag;
    copy_text(record.native_domain, field_text(error.native_domain));
    copy_text(record.native_call, field_text(error.origin));
    return result;
}

outcome outcome::about(std::string_view backend, std::int32_t device) && {
    copy_text(record_->backend, backend);
    record_->device = device;
    return std::move(*this);
}

outcome outcome::figures(std::uint64_t asked, std::uint64_t limit) && {
    record_->asked = asked;
    record_->limit = limit;
    return std::move(*this);
}

spoc_status outcome::deliver(const char* operation, spoc_error* out) const noexcept {
    if (ok()) {
        return SPOC_OK;
    }
    if (out != nullptr) {
        spoc_error record = *record_;
        record.size = out->size;
        copy_text(record.operation, operation);
        std::memcpy(out, &record, std::min<std::size_t>(out->size, sizeof record));
    }
    return record_->status;
}

spoc_status deliver_plain(spoc_status status, std::uint32_t sub_code, const char* message,
                          const char* operation, spoc_error* out) noexcept {
    if (out != nullptr) {
        spoc_error record = SPOC_ERROR_INIT;
        record.size = out->size;
        record.status = status;
        record.sub_code = sub_code;
        copy_text(record.message, message);
        copy_text(record.operation, operation);
        std::memcpy(out, &record, std::min<std::size_t>(out->size, sizeof record));
    }
    return status;
}

}  // namespace spoc::detail
