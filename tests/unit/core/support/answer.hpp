// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <spoc/error.h>

#include "support/catch.hpp"

namespace spoc::test {

/// What a call came to: its status and, if it failed, its record.
struct answer {
    spoc_status status = SPOC_OK;
    spoc_error error = SPOC_ERROR_INIT;

    /// "ok", or class and sub-code: "invalid_argument bounds".
    std::string text() const {
        return status == SPOC_OK ? "ok"
                                 : std::string(spoc_status_name(status)) + ' ' +
                                       spoc_sub_code_name(error.sub_code);
    }
    std::string message() const { return error.message; }
};

/// Calls `function(arguments..., &error)` and checks what holds for every record.
template <typename Function, typename... Arguments>
answer ask(Function function, Arguments... arguments) {
    answer result;
    result.status = function(arguments..., &result.error);
    if (result.status == SPOC_OK) {
        const spoc_error untouched = SPOC_ERROR_INIT;
        CHECK(std::memcmp(&result.error, &untouched, sizeof untouched) == 0);
    } else {
        CHECK(result.error.size == sizeof(spoc_error));
        CHECK(result.error.status == result.status);
        CHECK(std::string(result.error.message).size() > 1);
        CHECK(std::string(result.error.message).back() == '.');
        CHECK(std::string(result.error.operation).substr(0, 5) == "spoc_");
    }
    return result;
}

/// The text of `ask`.
template <typename Function, typename... Arguments>
std::string told(Function function, Arguments... arguments) {
    return ask(function, arguments...).text();
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A record whose size is set.
template <typename Record>
Record sized() {
    Record record{};
    record.size = sizeof(Record);
    return record;
}

}  // namespace spoc::test
