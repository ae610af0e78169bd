// SPDX-License-Identifier: Apache-2.0

/// \file
/// Sanitizers end a program that asks for absurd amounts of memory, unless they are told not to.

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the sanitizers' names
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

}  // extern "C"
