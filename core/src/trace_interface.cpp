// SPDX-License-Identifier: Apache-2.0

/// \file
/// The functions of spoc/trace.h. Apart from trace.cpp, which programs that share the loader link
/// as well: theirs would hide the library's.

#include <spoc/trace.h>

#include "trace.hpp"

void spoc_trace_begin(const char* name) noexcept {
    spoc::detail::trace_begin(name == nullptr ? "" : name, "program");
}

void spoc_trace_end(void) noexcept { spoc::detail::trace_end(); }
