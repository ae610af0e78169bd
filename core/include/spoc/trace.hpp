// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Spans of the program's own in the trace that `SPOC_TRACE` asks for.

#include <spoc/trace.h>

namespace spoc {

/// A span of the calling thread, from construction to destruction; see `spoc_trace_begin`. Both
/// happen on one thread. Does not throw.
///
///     const spoc::trace_span reading("read file");
class trace_span {
 public:
    explicit trace_span(const char* name) noexcept { spoc_trace_begin(name); }
    trace_span(const trace_span&) = delete;
    trace_span& operator=(const trace_span&) = delete;
    ~trace_span() { spoc_trace_end(); }
};

}  // namespace spoc
