// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <iterator>

#include <spoc/backend.h>

#include "common/text.hpp"

namespace spoc::conformance {
namespace {

struct status_row {
    std::int32_t status;
    const char* name;
};

#define ROW(name) \
    { SPOC_BE_##name, #name }
constexpr status_row statuses[] = {
    ROW(OK),          ROW(NOT_READY), ROW(INVALID),     ROW(UNSUPPORTED), ROW(OUT_OF_MEMORY),
    ROW(HOST_MEMORY), ROW(TOO_LARGE), ROW(DEVICE_LOST), ROW(DRIVER),      ROW(COMPILE),
    ROW(NOT_FOUND),   ROW(FORMAT),    ROW(UNAVAILABLE), ROW(FORKED),      ROW(EXITING),
    ROW(INTERNAL),    ROW(LAUNCH),    ROW(BUSY),        ROW(MISALIGNED),  ROW(EXTENSION),
};
#undef ROW

}  // namespace

bool is_plain(std::string_view words) { return tools::printable(words) == words; }

std::string status_text(std::int32_t status) {
    const auto* row =
        std::find_if(std::begin(statuses), std::end(statuses),
                     [status](const status_row& candidate) { return candidate.status == status; });
    return row == std::end(statuses) ? text("status ", status) : text(row->name, " (", status, ")");
}

}  // namespace spoc::conformance
