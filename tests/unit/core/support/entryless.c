/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// A library that is no plugin; one variant calls a function that nobody has, and one wants more
/// room in the static part of thread-local storage than a running program has left.

#ifdef CALLS_MISSING_FUNCTION
extern int spoc_test_function_of_nobody(void);
int spoc_test_entryless(void);
int spoc_test_entryless(void) { return spoc_test_function_of_nobody(); }
#elif defined(WANTS_STATIC_ROOM)
/* Volatile: a compiler that sees which part is used may leave the rest away. */
static __thread volatile int room[1 << 20] __attribute__((tls_model("initial-exec")));
int spoc_test_entryless(void);
int spoc_test_entryless(void) { return ++room[0]; }
#else
int spoc_test_entryless(void);
int spoc_test_entryless(void) { return 0; }
#endif
