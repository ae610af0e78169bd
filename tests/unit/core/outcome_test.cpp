// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "codes.hpp"
#include "support/catch.hpp"

namespace spoc::detail {
namespace {

/// "class sub-code" of what a plugin's status means.
std::string meaning(std::int32_t status, std::uint32_t reason = SPOC_BE_REASON_NONE) {
    plugin_error error;
    error.reason = reason;
    const outcome made = outcome::from_plugin(status, error, SPOC_SUB_CONTEXT, "rec", 3);
    CHECK(made.error().backend_status == status);
    CHECK(made.error().device == 3);
    CHECK(std::string(made.error().backend) == "rec");
    return std::string(spoc_status_name(made.error().status)) + ' ' +
           spoc_sub_code_name(made.error().sub_code);
}

}  // namespace

TEST_CASE("Each status of a plugin has one meaning", "[R-116]") {
    CHECK(meaning(SPOC_BE_INVALID) == "internal_error none");
    CHECK(meaning(SPOC_BE_UNSUPPORTED) == "feature_not_supported none");
    CHECK(meaning(SPOC_BE_OUT_OF_MEMORY) == "backend_error oom");
    CHECK(meaning(SPOC_BE_HOST_MEMORY) == "backend_error host_memory");
    CHECK(meaning(SPOC_BE_TOO_LARGE) == "backend_error too_large");
    CHECK(meaning(SPOC_BE_DEVICE_LOST) == "backend_error device_lost");
    CHECK(meaning(SPOC_BE_DRIVER) == "backend_error context");
    CHECK(meaning(SPOC_BE_COMPILE) == "backend_error compile_failed");
    CHECK(meaning(SPOC_BE_NOT_FOUND) == "backend_error module_load_failed");
    CHECK(meaning(SPOC_BE_FORMAT) == "backend_error module_load_failed");
    CHECK(meaning(SPOC_BE_UNAVAILABLE) == "unavailable none");
    CHECK(meaning(SPOC_BE_UNAVAILABLE, SPOC_BE_REASON_DRIVER_NOT_FOUND) ==
          "unavailable library_not_found");
    CHECK(meaning(SPOC_BE_UNAVAILABLE, SPOC_BE_REASON_NO_DEVICE) == "unavailable no_device");
    CHECK(meaning(SPOC_BE_UNAVAILABLE, 999) == "unavailable init_failed");
    CHECK(meaning(SPOC_BE_FORKED) == "unavailable forked");
    CHECK(meaning(SPOC_BE_EXITING) == "unavailable exiting");
    CHECK(meaning(SPOC_BE_INTERNAL) == "internal_error none");
    CHECK(meaning(SPOC_BE_LAUNCH) == "backend_error launch_failed");
    CHECK(meaning(SPOC_BE_BUSY) == "internal_error none");
    CHECK(meaning(SPOC_BE_MISALIGNED) == "backend_error context");
    CHECK(meaning(SPOC_BE_EXTENSION) == "internal_error none");
    CHECK(meaning(SPOC_BE_EXTENSION - 1) == "backend_error context");  // a newer plugin's
    CHECK(meaning(INT32_MIN) == "backend_error context");
}

TEST_CASE("A plugin's record is taken over whole", "[R-116]") {
    plugin_error error;
    CHECK(error.size == sizeof(spoc_be_error));
    error.native_code = -5;
    error.asked = 10;
    error.limit = 9;
    error.reason = SPOC_BE_REASON_NO_PERMISSION;
    std::memset(error.native_domain, 'd', sizeof error.native_domain);  // without a NUL
    std::memset(error.origin, 'o', sizeof error.origin);
    std::memset(error.message, 'm', sizeof error.message);
    const outcome made = outcome::from_plugin(SPOC_BE_UNAVAILABLE, error, 0, "rec", -1);
    CHECK(made.error().native_code == -5);
    CHECK(made.error().asked == 10);
    CHECK(made.error().limit == 9);
    CHECK(made.error().reason == SPOC_BE_REASON_NO_PERMISSION);
    CHECK(std::string(made.error().native_domain) == std::string(23, 'd'));
    CHECK(std::string(made.error().native_call) == std::string(47, 'o'));
    CHECK(std::string(made.error().message) == std::string(392, 'm'));
}

TEST_CASE("A reason is told with unavailability only") {
    plugin_error error;
    error.reason = SPOC_BE_REASON_NO_PERMISSION;
    CHECK(outcome::from_plugin(SPOC_BE_DRIVER, error, 0, "rec", 0).error().reason ==
          SPOC_BE_REASON_NONE);
}

TEST_CASE("A plugin that says nothing is quoted with its status") {
    const outcome made = outcome::from_plugin(-42, plugin_error(), 0, "rec", 0);
    CHECK(std::string(made.error().message) ==
          "Backend rec answers with status -42 and no message.");
}

TEST_CASE("Success is delivered without touching the record") {
    spoc_error record = SPOC_ERROR_INIT;
    record.sub_code = 77;
    CHECK(outcome().deliver("spoc_x", &record) == SPOC_OK);
    CHECK(outcome().deliver("spoc_x", nullptr) == SPOC_OK);
    CHECK(record.sub_code == 77);
}

TEST_CASE("What is thrown ends at the boundary") {
    spoc_error record = SPOC_ERROR_INIT;
    CHECK(boundary("spoc_x", &record, []() -> outcome { throw std::bad_alloc(); }) ==
          SPOC_BACKEND_ERROR);
    CHECK(record.sub_code == SPOC_SUB_HOST_MEMORY);
    CHECK(std::string(record.operation) == "spoc_x");
    CHECK(boundary("spoc_y", &record, []() -> outcome { throw std::runtime_error("x"); }) ==
          SPOC_INTERNAL_ERROR);
    CHECK(boundary("spoc_y", &record, []() -> outcome { throw 1; }) == SPOC_INTERNAL_ERROR);
    CHECK(std::string(record.operation) == "spoc_y");
    CHECK(record.status == SPOC_INTERNAL_ERROR);
    CHECK(boundary("spoc_y", nullptr, []() -> outcome { throw 1; }) == SPOC_INTERNAL_ERROR);
    spoc_error none = SPOC_ERROR_INIT;
    none.size = 0;
    none.status = 5;
    CHECK(boundary("spoc_y", &none, []() -> outcome { throw 1; }) == SPOC_INTERNAL_ERROR);
    CHECK(none.status == 5);
}

TEST_CASE("Every number of the contract has a name, and every other is unknown") {
    for (std::uint32_t reason = 0; reason <= SPOC_BE_REASON_INTERNAL; ++reason) {
        CAPTURE(reason);
        CHECK(std::string(spoc_reason_name(reason)) != "UNKNOWN");
    }
    CHECK(std::string(spoc_reason_name(SPOC_BE_REASON_INTERNAL + 1)) == "UNKNOWN");
    CHECK(std::string(spoc_reason_hint(SPOC_BE_REASON_INTERNAL + 1)).empty());
    CHECK(std::string(spoc_reason_hint(SPOC_BE_REASON_NONE)).empty());
    CHECK(std::string(spoc_status_name(SPOC_OK)) == "ok");
    CHECK(std::string(spoc_status_name(SPOC_INTERNAL_ERROR)) == "internal_error");
    for (const spoc_status status : {1, -7, INT32_MIN, INT32_MAX}) {
        CHECK(std::string(spoc_status_name(status)) == "unknown");
    }
    CHECK(std::string(spoc_sub_code_name(SPOC_SUB_NONE)) == "none");
    CHECK(std::string(spoc_sub_code_name(100)) == "unknown");
    for (const auto name :
         {spoc_state_name, spoc_stage_name, spoc_search_source_name, spoc_place_verdict_name}) {
        CHECK(std::string(name(0)) != "unknown");
        CHECK(std::string(name(7)) == "unknown");
    }
}

TEST_CASE("A reason that nobody knows makes its plugin faulty") {
    CHECK(state_of_reason(SPOC_BE_REASON_NONE) == SPOC_STATE_READY);
    CHECK(state_of_reason(SPOC_BE_REASON_DRIVER_STUB) == SPOC_STATE_UNUSABLE);
    CHECK(state_of_reason(999) == SPOC_STATE_FAULTY);
    CHECK(sub_code_of_reason(999) == SPOC_SUB_INIT_FAILED);
    CHECK(is_probe_reason(SPOC_BE_REASON_DRIVER_NOT_FOUND));
    CHECK(is_probe_reason(SPOC_BE_REASON_DRIVER_INIT_FAILED));
    CHECK_FALSE(is_probe_reason(SPOC_BE_REASON_WRONG_FLAVOUR));
    CHECK_FALSE(is_probe_reason(SPOC_BE_REASON_PROBE_CRASHED));
}

}  // namespace spoc::detail
