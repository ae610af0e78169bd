// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <spoc/backend.h>

#include "asynchronous/table.hpp"
#include "base.hpp"
#include "forward.hpp"

/// \file
/// A plugin that is wrong in one thing. Each source of this folder holds one: it begins with a
/// sentence that says what is broken and a line "Case:" with the case of spoc-conformance that is
/// meant to notice, and ends with SPOC_MUTANT.

namespace spoc::mutant {

/// The right plugin below.
#if MUTANT_ASYNCHRONOUS
inline constexpr const spoc_be_table& original = asynchronous::table;
#else
inline constexpr const spoc_be_table& original = base::table;
#endif

/// The original's entries, some of them changed.
constexpr spoc_be_table make(void (*change)(spoc_be_table&)) noexcept {
    spoc_be_table made = forward<original>::table(MUTANT_NAME, MUTANT_ASYNCHRONOUS != 0);
    change(made);
    return made;
}

/// The copy, with `change` applied to each range.
template <typename Change>
int32_t copy_changed(spoc_be_stream stream, const spoc_be_copy& request, uint32_t* done,
                     spoc_be_error* error, Change change) {
    std::vector<spoc_be_range> ranges(request.ranges, request.ranges + request.count);
    for (spoc_be_range& range : ranges) {
        change(range);
    }
    spoc_be_copy changed = request;
    changed.ranges = ranges.data();
    return original.copy(stream, &changed, done, error);
}

/// The launch, with `change` applied to each argument.
template <typename Change>
int32_t launch_changed(spoc_be_stream stream, const spoc_be_launch& request, uint32_t* done,
                       spoc_be_error* error, Change change) {
    std::vector<spoc_be_arg> args(request.args, request.args + request.arg_count);
    for (spoc_be_arg& arg : args) {
        change(arg);
    }
    spoc_be_launch changed = request;
    changed.args = args.data();
    return original.launch(stream, &changed, done, error);
}

}  // namespace spoc::mutant

/// Defines the plugin. `change` is a constexpr function that sets entries of the table it is given.
#define SPOC_MUTANT(change) SPOC_BE_PLUGIN(MUTANT_NAME, "1.0") = spoc::mutant::make(change)
