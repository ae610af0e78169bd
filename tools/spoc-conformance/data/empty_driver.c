/* SPDX-License-Identifier: Apache-2.0 */

/// A library that stands in for a driver and has none of its functions.

// ISO C wants a declaration in every translation unit.
extern int spoc_conformance_nothing;
