// SPDX-License-Identifier: Apache-2.0

/// \file
/// Exceptions for the variants of plugin.c that throw, which C cannot.

#include <cstdint>
#include <stdexcept>

#include <spoc/backend.h>

namespace {

[[noreturn]] void throw_it() { throw std::runtime_error("thrown by the fixture"); }

}  // namespace

extern "C" {

/// What every entry of a plugin in C++ does.
int32_t throw_and_catch() {
    try {
        throw_it();
    } catch (...) {
        return SPOC_BE_INTERNAL;
    }
}

// NOLINTNEXTLINE(bugprone-exception-escape): that is the fault to be tried.
void throw_out_of_noexcept() noexcept { throw_it(); }

/// Breaks the contract: the exception runs through the entry into the host.
void throw_out() { throw_it(); }

/// Likewise, and what is thrown says nothing of itself.
void throw_number_out() { throw 42; }
}
