/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Shared objects that the system's loader refuses, and one that it takes and that is no plugin.

#if defined(NEEDS_LIBRARY)
extern int fixture_missing(void);
#define BORROWED fixture_missing
#elif defined(NEEDS_SYMBOL)
extern int fixture_no_such_function(void);
#define BORROWED fixture_no_such_function
#elif defined(NEEDS_PLUGIN)
extern const char spoc_backend_v1[];
static int first_byte(void) { return spoc_backend_v1[0]; }
#define BORROWED first_byte
#endif

extern int fixture_ordinary(void);

__attribute__((visibility("default"))) int fixture_ordinary(void) {
#ifdef BORROWED
    return BORROWED();
#else
    return 1;
#endif
}
