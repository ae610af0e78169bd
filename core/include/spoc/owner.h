/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_OWNER_H
#define SPOC_OWNER_H

/// \file
/// How a caller lends host memory to work that outlives the call.

#include <spoc/export.h>

SPOC_BEGIN_DECLS

/// Keeps host memory alive. A function that takes a `const spoc_owner *` and succeeds calls
/// `release(context)` exactly once, when SPOC no longer needs the memory; when it fails it does not
/// call it, and the caller still holds what it held. `release` may run on any thread that is inside
/// a function of this library, never on a thread of SPOC's or a driver's own, and no lock of SPOC's
/// is held then: it may call SPOC. A null pointer, or a null `release`, lends nothing: the caller
/// keeps the memory alive by itself until the work is proved complete (spoc/stream.h).
typedef struct spoc_owner {
    void (*release)(void* context);
    void* context;
} spoc_owner;

SPOC_END_DECLS

#endif /* SPOC_OWNER_H */
