// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <spoc/spoc.hpp>

#include "bench_case.hpp"
#include "raw_objects.hpp"

/// \file
/// The two sides of a contest in which one call is made again and again.

namespace spoc::bench {

/// Throws when a function of libspoc fails.
inline void check(spoc_status status, const spoc_error& error) {
    if (status != SPOC_OK) {
        spoc::detail::raise(error);
    }
}

/// `body` so often, the last status being looked at.
template <typename Body>
std::function<void(std::uint64_t)> repeat_raw(Body body) {
    return [body](std::uint64_t calls) {
        spoc_be_error error = empty_error();
        std::int32_t status = SPOC_BE_OK;
        for (std::uint64_t i = 0; i < calls && status >= 0; ++i) {
            status = body(error);
        }
        raw_backend::check(status, error);
    };
}

template <typename Body>
std::function<void(std::uint64_t)> repeat(Body body) {
    return [body](std::uint64_t calls) {
        spoc_error error = SPOC_ERROR_INIT;
        spoc_status status = SPOC_OK;
        for (std::uint64_t i = 0; i < calls && status == SPOC_OK; ++i) {
            status = body(error);
        }
        check(status, error);
    };
}

/// A stream of each side.
struct streams {
    explicit streams(const bench_place& place)
        : table(place.raw.table()), raw(place.raw), own(place.where) {}

    const spoc_be_table& table;
    raw_stream raw;
    stream own;
};

}  // namespace spoc::bench
