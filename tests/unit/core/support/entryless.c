/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// A library that is no plugin; one variant calls a function that nobody has.

#ifdef CALLS_MISSING_FUNCTION
extern int spoc_test_function_of_nobody(void);
int spoc_test_entryless(void);
int spoc_test_entryless(void) { return spoc_test_function_of_nobody(); }
#else
int spoc_test_entryless(void);
int spoc_test_entryless(void) { return 0; }
#endif
