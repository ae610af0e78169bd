// SPDX-License-Identifier: Apache-2.0
// A constructor of the file prints a line.
// Case: lifecycle/loaded_twice
#include <cstdio>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

[[gnu::constructor]] void say_hello() {
    static_cast<void>(std::puts("The driver was loaded."));
    static_cast<void>(std::fflush(stdout));
}

constexpr void change(spoc_be_table& be) { static_cast<void>(be); }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
