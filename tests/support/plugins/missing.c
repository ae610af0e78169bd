/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// A library that a plugin depends on, and that tests leave behind when they copy the plugin
/// elsewhere.

extern int fixture_missing(void);

__attribute__((visibility("default"))) int fixture_missing(void) { return 1; }
