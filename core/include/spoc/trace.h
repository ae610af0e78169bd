/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_TRACE_H
#define SPOC_TRACE_H

/// \file
/// Spans of the program's own in the trace that `SPOC_TRACE` asks for (docs/tracing.md).
///
/// Nothing is traced unless the variable is set when the runtime starts; then both functions cost a
/// load and a branch, and may be left in a program for good.

#include <spoc/export.h>

SPOC_BEGIN_DECLS

/// Begins a span of the calling thread, which lies inside those that it has begun and not ended.
/// `name` is UTF-8, copied; null is an empty name. Before the runtime's first start nothing
/// happens. Does not wait for a device. Any thread, at any time.
SPOC_API void spoc_trace_begin(const char* name) SPOC_NOEXCEPT;

/// Ends the span that the calling thread began last. Without one nothing happens. A thread or a
/// process that ends has ended its spans. Any thread, at any time.
SPOC_API void spoc_trace_end(void) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_TRACE_H */
