// SPDX-License-Identifier: Apache-2.0

/// \file
/// The functions of spoc/stats.h.

#include <spoc/stats.h>

#include "accounting.hpp"
#include "device.hpp"
#include "session.hpp"

using namespace spoc::detail;

spoc_status spoc_stats_get(spoc_device device, spoc_stats* out_stats, spoc_error* error) noexcept {
    return boundary("spoc_stats_get", error, [&]() -> outcome {
        SPOC_TRY(require_sized(out_stats, "out_stats"));
        const account& wanted = device != nullptr ? device->accounts() : account::of_process();
        return write_sized(wanted.read(), out_stats);
    });
}

spoc_status spoc_stats_reset(spoc_error* error) noexcept {
    return boundary("spoc_stats_reset", error, []() -> outcome {
        account::for_each([](account& one) { one.reset(); });
        return {};
    });
}
